"""Impacts: contacts of zero gap at one instant, laws for one contact, in sequence and at once."""
