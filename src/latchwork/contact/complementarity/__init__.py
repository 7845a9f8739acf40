"""Which contacts open, slide and stick: the contact problem at one state, and the methods that solve it."""
