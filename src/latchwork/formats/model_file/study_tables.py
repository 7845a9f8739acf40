"""The words under ``study`` in a model file: points of its parameters, what is asked at each, and where it is kept."""

from __future__ import annotations

from latchwork.formats.model_file.grammar import Field, Listed, Named, Shape

MOST_VALUES = 1_000_000
STUDY = Shape("study", {
    "grid": Field(Named(Listed("number", or_one=True, most=MOST_VALUES)), "values of each, all of which are combined"),
    "ranges": Field(Named(Shape("range", {
        "from": Field("number", "the first value", needed=True),
        "to": Field("number", "the last value", needed=True),
        "count": Field("count", "how many, at even distances", needed=True),
    })), "the same as even values; combined with those of `grid`"),
    "sampled": Field(Shape("samples", {
        "count": Field("count", "how many points", needed=True),
        "bounds": Field(Named(Listed("number", count=2)), "the lowest and the highest value of each", needed=True),
        "sequence": Field("kind of sequence", "which sequence fills the box; sobol unless given"),
        "seed": Field("number", "a whole number that chooses among its points; 0 unless given"),
    }), "quasi-random points instead of a grid"),
    "points": Field(Named(Listed("number", most=MOST_VALUES)), "points one by one, a column each, instead of a grid"),
    "outputs": Field(Listed("output"), "what is asked at each point: names of outputs of `run`, or what could be one"),
    "events": Field("truth", "whether a table of all events is kept"),
    "store": Field("text", "where results are kept, beside the file; its own name with .zarr unless given"),
    "chunk": Field("count", "points of a task"),
})  # fmt: skip
