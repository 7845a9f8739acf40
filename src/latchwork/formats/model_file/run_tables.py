"""The words under ``run`` in a model file: those of ``simulate``, and what to show of the run."""

from __future__ import annotations

from latchwork.formats.model_file.grammar import Either, Field, Listed, Named, Shape

RTOL = Field("number", "relative tolerance")
ATOL = Field(Listed("number", or_one=True), "absolute tolerance; a list has one for each of q, u and the work")
MAX_STEP = Field("number", "longest step")
MAX_STEPS = Field("count", "steps before the run gives up")
FIRST_STEP = Field("number", "length of the first step")
BY_TOLERANCE = {"rtol": RTOL, "atol": ATOL, "max_step": MAX_STEP, "max_steps": MAX_STEPS}
OF_OUR_OWN = {"rtol": RTOL, "atol": ATOL, "max_step": MAX_STEP, "first_step": FIRST_STEP, "max_steps": MAX_STEPS}
METHOD = Shape("method", {
    "DormandPrince": Field(Shape("DormandPrince", OF_OUR_OWN), "adaptive steps, order 5(4)"),
    "Radau": Field(Shape("Radau", OF_OUR_OWN), "adaptive steps for stiff systems, Radau IIA of order 5"),
    "RK4": Field(Shape("RK4", {
        "step": Field("number", "length of every step", needed=True),
        "every": Field("count", "steps from one that is recorded to the next"),
        "max_steps": MAX_STEPS,
    }), "fixed steps, order 4"),
    "SciPy": Field(Shape("SciPy", {
        "name": Field("stiff method", "which of SciPy's; Radau unless given"),
        **BY_TOLERANCE,
    }), "adaptive steps for stiff systems, by SciPy"),
    "Sundials": Field(Shape("Sundials", BY_TOLERANCE), "adaptive steps for stiff systems, by CVODE of SUNDIALS"),
}, one_of=("DormandPrince", "Radau", "RK4", "SciPy", "Sundials"))  # fmt: skip
TABLE = Shape("table", {
    "times": Field(Listed("number"), "times of the rows, growing; the first no later than the start", needed=True),
    "values": Field(Listed("number"), "the value of each row", needed=True),
    "kind": Field("kind of table", "held until the next row, or linear in between; held unless given"),
})  # fmt: skip
RUN = Shape("run", {
    "until": Field("number", "end of the run, in seconds"),
    "start": Field("number", "start of the run, in seconds; 0 unless given"),
    "q": Field(Named("number"), "initial coordinates; 0 (quaternions unturned) unless given"),
    "u": Field(Named("number"), "initial speeds; 0 unless given"),
    "inputs": Field(
        Named(Either("scalar", TABLE)),
        "inputs, instead of their values at rest: numbers, expressions in t, q and u, or tables",
    ),
    "parameters": Field(Named("number"), "values of parameters, instead of those of the model"),
    "stop_when": Field(Named("guard"), "what ends the run: the first of these that falls through zero"),
    "every": Field("number", "samples at even intervals of time; the method's own steps unless given"),
    "keep": Field("kind of record", "what is kept of a run with `every`: steps, or samples alone; steps unless given"),
    "method": Field(METHOD, "integration method"),
    "audit": Field("way to audit", "what is done about a run far off what its method promises; raise unless given"),
    "outputs": Field(Named("output"), "quantities to be had of a run, and of exported code, by names of their own"),
    "plot": Field(Listed("output"), "what to plot against time: names of outputs, or anything that could be one"),
})  # fmt: skip
