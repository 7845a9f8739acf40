from dataclasses import dataclass
import numpy as np
LAWS = {"newton": 1, "smith": 1, "poisson":1, "energetic":1}
@dataclass
class Impact:
    names: tuple; W: object; v: object; tangents: tuple; e: object; mu_s: object; mu_d: object
@dataclass
class Outcome:
    impulses: object; v: object; law: tuple=(); energy: float=0; notes: tuple=()
def resolve(impact, laws, at_once=None, capture=0.0):
    first = np.cumsum([0, *(1 + k for k in impact.tangents)])[:-1]
    i = int(np.argmin(impact.v[first])); r = first[i]
    L = np.zeros(len(impact.v))
    e = impact.e[i] if -impact.v[r]*impact.e[i] > capture else 0.0
    k = impact.tangents[i]
    if k:
        W = impact.W[r:r+2, r:r+2]
        lam = np.linalg.solve(W, [-(1+e)*impact.v[r], -impact.v[r+1]])
        if abs(lam[1]) > impact.mu_s[i]*lam[0]:
            s = np.sign(impact.v[r+1])
            ln = -(1+e)*impact.v[r]/(W[0,0]-impact.mu_d[i]*s*W[0,1])
            lam = np.array([ln, -impact.mu_d[i]*s*ln])
        L[r:r+2] = lam
    else:
        L[r] = -(1+e)*impact.v[r]/impact.W[r, r]
    return Outcome(L, impact.v + impact.W @ L)
def jam(impact, contacts): raise NotImplementedError
