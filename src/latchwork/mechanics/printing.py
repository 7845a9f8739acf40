from __future__ import annotations
from latchwork.symbolic.expr import Expr
def vector_text(v): 
    return " + ".join(f"({Expr(v.tree.graph,n)})*{f.name}.{'xyz'[k]}" for f,part in v.parts.items() for k,n in enumerate(part) if n!=-1) or "0"
def dyadic_text(d): return "dyadic"
