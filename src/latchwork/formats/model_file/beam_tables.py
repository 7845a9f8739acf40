"""The words of a model file about beams."""

from __future__ import annotations

from latchwork.formats.model_file.grammar import Either, Field, Named, Shape

MOST_BEAMS = 1000
MOST_STATIONS = 1000

DIRECTIONS = {"y": "along y", "z": "along z", "twist": "of twist", "stretch": "of stretch"}
BEAM = Shape("beam", {
    "frame": Field("frame", "the frame that it is straight in, along x; N unless given"),
    "root": Field("point", "the point of that frame where it begins; O unless given"),
    "length": Field("scalar", "its length", needed=True),
    "EI": Field(Either("scalar", Shape("bending stiffness", {
        "y": Field("scalar", "of deflections along y"), "z": Field("scalar", "of deflections along z"),
    })), "bending stiffness: one along y, or by direction", needed=True),
    "rho_A": Field("scalar", "mass per length", needed=True),
    "GJ": Field("scalar", "torsional stiffness; it does not twist unless given"),
    "rho_J": Field("scalar", "polar moment of inertia per length, where it twists"),
    "EA": Field("scalar", "axial stiffness; it does not stretch unless given"),
    "modes": Field(Either("count", Shape("modes", {
        key: Field("count", f"modes {about}") for key, about in DIRECTIONS.items()
    })), "how many shapes, or how many in each direction"),
    "shapes": Field("text", "how its ends are held in the frame, such as clamped-free"),
    "damping": Field("scalar", "time constant of the material, 0 unless given"),
    "stiffening": Field("truth", "false leaves foreshortening out"),
    "segments": Field("count", "beams in a row, for large bending"),
    "points": Field(Named("scalar", most=MOST_STATIONS), "points along the beam, each with its arc length"),
    "frames": Field(Named("scalar", most=MOST_STATIONS), "frames of sections, each with its arc length"),
})  # fmt: skip
SUPPORT = Shape("support", {
    "beam": Field("text", "the beam that slides over it", needed=True),
    "point": Field("point", "the point that it slides over", needed=True),
})  # fmt: skip
DRIVE = Shape("drive", {
    "support": Field("text", "the support that pushes its beam along", needed=True),
    "force": Field("scalar", "the force, towards the tip", needed=True),
    "name": Field("text", "a name to find it by"),
})  # fmt: skip
