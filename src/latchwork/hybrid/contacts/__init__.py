"""Contacts of a run: contact points, their states, the Delassus operator, and the reset where a guard falls."""
