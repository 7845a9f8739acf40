"""Small numbers by which impacts are judged; all are parts of what the impact itself is made of."""

from __future__ import annotations

LIFT = 1e-8  # dv_n/dΛ_n below this part of W_nn is none: friction wedges
EDGE = 1e-12  # how far outside the cone still is inside
MET = 1e-9  # residual of equations that have a solution, as a part of their right side
REGULAR = 1e-6  # W with a diagonal of ones: pivots below this are taken with more care
CUT = 1e-12  # eigenvalues, and pivots, below this part of the largest are zero: contacts may be redundant
GAIN = 1e-10  # energy gained, as a part of what the impulses move, above which a law does not act
ENERGY_FLOOR = 1e-14  # of the energy that the whole impact could move: below notice
REST = 1e-11  # speeds below this part of the largest are zero
IMMOVABLE = 1e-13  # W_nn below this part of the largest is zero
COUPLED = 1e-10  # W between two contacts below this part of their own is zero
