"""Identification: inertial parameters, friction and stiffness of a mechanism from its recorded motion."""
