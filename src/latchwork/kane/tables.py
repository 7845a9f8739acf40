from __future__ import annotations
Table=object
