"""How shapes meet: what they are made of, and a closed form for each two kinds of parts."""
