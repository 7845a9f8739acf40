"""Expressions as texts: tokens, postfix steps against a whitelist, expressions of a model, and back."""
