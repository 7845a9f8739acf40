"""Makers of constraints: loops closed by joints, guides, couplings, rolling."""
