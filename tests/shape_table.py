"""The table of the documentation: every shape against every shape, as `features_of` makes or refuses their features."""

from __future__ import annotations

import drawn_plane
import drawn_space
import latchwork as lw
from latchwork.contact.narrow_phase.pairs import features_of

CLOSED, TRACKED, REFUSED = "●", "∿", "–"
PLANE = {
    "point": "point", "circle": "`Circle`", "capsule": "`Capsule`", "box": "`Box`", "hull": "`Hull`",
    "outline": "`Polyline`, closed", "disk": "`Arc`, ring", "line": "`Line`", "segment": "`Segment`",
    "wall": "`Segment`, normal", "polyline": "`Polyline`", "arc": "`Arc`", "cup": "`Arc`, inside",
    "boundary": "`Boundary`", "curve": "`Curve`",
}  # fmt: skip
SPACE = {
    "point": "point", "sphere": "`Sphere`", "capsule": "`Capsule`", "cylinder": "`Cylinder`",
    "cone": "`Cone`", "box": "`Box`", "hull": "`Hull`",
    "plane": "`Plane`", "wire": "`Segment`", "rim": "`Rim`", "tyre": "`Rim`, tube", "surface": "`Surface`",
}  # fmt: skip


def cell(pen: type, kind: str, a: str, b: str) -> str:
    """How two shapes of two bodies meet."""
    model = lw.Model("table")
    pens = [pen(tag, link.origin, link.frame, link) for tag, link in ((t, model.joint(kind, t)) for t in "ab")]
    shapes = [getattr(each, name)().shape for each, name in zip(pens, (a, b), strict=True)]
    try:
        features = features_of("pair", *shapes)
    except lw.ModelError:
        return REFUSED
    return TRACKED if any(feature.tracked is not None for feature in features) else CLOSED


def table(names: dict[str, str], pen: type, kind: str) -> str:
    """The lower half of a square, in Markdown."""
    kinds = list(names)
    rows = [f"| | {' | '.join(names[b] for b in kinds)} |", f"|---|{'---|' * len(kinds)}"]
    for i, a in enumerate(kinds):
        cells = [cell(pen, kind, a, b) if j <= i else "" for j, b in enumerate(kinds)]
        rows.append(f"| {names[a]} | {' | '.join(cells)} |")
    return "\n".join(rows)


def tables() -> dict[str, str]:
    """Both tables, by the word after which they stand."""
    return {"In the plane": table(PLANE, drawn_plane.Pen, "planar"), "In space": table(SPACE, drawn_space.Pen, "free")}


if __name__ == "__main__":
    print("\n\n".join(f"{name}:\n\n{text}" for name, text in tables().items()))
