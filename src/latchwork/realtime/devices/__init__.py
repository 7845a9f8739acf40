"""Hands: the pointer of the page, a script, a recording, a device on the network."""
