"""The page where mechanisms run and are grabbed: a server, and what it serves."""
