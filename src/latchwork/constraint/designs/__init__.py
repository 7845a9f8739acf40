"""The designs by numbers, side by side: multipliers, projection, null space.  [Patoglu §3]"""
