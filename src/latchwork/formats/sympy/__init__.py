"""Models of ``sympy.physics.mechanics`` taken over."""
