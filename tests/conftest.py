"""Hypothesis profiles: the suite tries the same examples every time, a campaign looks for new ones."""

from hypothesis import settings

settings.register_profile("suite", deadline=None, derandomize=True)
settings.register_profile("campaign", deadline=None, max_examples=5_000)
settings.load_profile("suite")
