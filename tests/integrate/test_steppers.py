"""Runge-Kutta methods: their order, their tolerance, their dense output, and how they fail."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from latchwork.errors import EvaluationError, IntegrationError
from latchwork.integrate.methods import RK4, DormandPrince, Radau, integrate
from latchwork.integrate.tableau import DORMAND_PRINCE_5, RUNGE_KUTTA_4
from latchwork.program.function import Function
from latchwork.program.ir import OPCODE, Program
from latchwork.program.native import interpret, invoke

TABLEAUX = [RUNGE_KUTTA_4, DORMAND_PRINCE_5]


def right_hand_side(inputs: str, constants: tuple[float, ...], rows: list[tuple], outputs: tuple[int, ...]) -> Function:
    """A function from rows of names and slots."""
    code = [[OPCODE[name], *slots, *[-1] * (3 - len(slots))] for name, *slots in rows]
    return Function(Program(tuple(inputs.split()), constants, np.array(code, dtype=np.int32).reshape(-1, 4), outputs))


def oscillator() -> Function:
    """``ẋ = v, v̇ = −w x`` with w held."""
    return right_hand_side("t x v w", (), [("mul", 1, 3), ("neg", 4)], (2, 5))


def swing() -> Function:
    """``ẋ = x cos t``, whose solution is exp(sin t)."""
    return right_hand_side("t x", (), [("cos", 0), ("mul", 1, 2)], (3,))


def kepler() -> Function:
    """``r̈ = −r / |r|³`` in the plane."""
    rows = [
        ("mul", 1, 1), ("mul", 2, 2), ("add", 5, 6), ("sqrt", 7), ("mul", 7, 8), ("div", 1, 9), ("neg", 10),
        ("div", 2, 9), ("neg", 12),
    ]  # fmt: skip
    return right_hand_side("t x y u v", (), rows, (3, 4, 11, 13))


def growth() -> Function:
    """``ẋ = x²``, which reaches infinity at t = 1 from x = 1."""
    return right_hand_side("t x", (), [("mul", 1, 1)], (2,))


def root() -> Function:
    """``ẋ = √(1 − t)``, which ends at t = 1."""
    return right_hand_side("t x", (1.0,), [("sub", 2, 0), ("sqrt", 3)], (4,))


def fixed(step: float) -> DormandPrince:
    """Dormand-Prince with steps of one size: every error is accepted."""
    return DormandPrince(rtol=1e6, atol=1e6, max_step=step, first_step=step)


def slope(error: dict[float, float]) -> float:
    """The exponent p of error ∝ step^p."""
    return float(np.polyfit(np.log(list(error)), np.log(list(error.values())), 1)[0])


@pytest.mark.parametrize("tableau", TABLEAUX, ids=lambda t: t.name)
def test_tableaux_satisfy_the_order_conditions(tableau):
    """Σ b c^(k−1) = 1/k up to the order, exactly in fractions; the error weights are free of constants."""
    b, c = tableau.A[-1], tableau.c
    assert [sum(w * x ** (k - 1) for w, x in zip(b, c[:-1], strict=True)) for k in range(1, tableau.order + 1)] == [
        Fraction(1, k) for k in range(1, tableau.order + 1)
    ]
    assert [sum(w * x**k for w, x in zip(tableau.error, c, strict=True)) for k in range(4)] == [0] * 4
    assert c[0] == 0
    assert c[-1] == 1


@pytest.mark.parametrize(("method", "order"), [(RK4, 4), (fixed, 5)], ids=["RK4", "Dormand-Prince"])
def test_the_error_at_the_end_falls_with_the_order(method, order):
    """The error at the end is proportional to step^order."""
    error = {}
    for step in (0.2, 0.1, 0.05, 0.025):
        error[step] = abs(integrate(swing(), [1.0], 0.0, 3.0, [], method(step)).x[-1, 0] - math.exp(math.sin(3.0)))
    assert slope(error) == pytest.approx(order, abs=0.35)


@pytest.mark.parametrize(("method", "order"), [(RK4, 4), (fixed, 5)], ids=["RK4", "Dormand-Prince"])
def test_dense_output_keeps_the_order_of_its_interpolant(method, order):
    """Within one step the interpolant errs like step^4 (cubic of Hermite) and step^5 (quartic of Dormand-Prince)."""
    error = {}
    for step in (0.2, 0.1, 0.05, 0.025):
        t = np.linspace(0.0, step, 33)
        error[step] = abs(integrate(swing(), [1.0], 0.0, step, [], method(step)).at(t)[:, 0] - np.exp(np.sin(t))).max()
    assert slope(error) == pytest.approx(order, abs=0.35)


@pytest.mark.parametrize("rtol", [1e-5, 1e-7, 1e-9, 1e-11])
def test_the_oscillator_meets_its_tolerance(rtol):
    """x = cos 2t over ten turns, at samples and between, within a hundred times the tolerance."""
    run = integrate(oscillator(), [1.0, 0.0], 0.0, 10.0 * math.pi, [4.0], DormandPrince(rtol=rtol, atol=rtol))
    t = np.linspace(0.0, 10.0 * math.pi, 2001)
    assert abs(run.at(t)[:, 0] - np.cos(2.0 * t)).max() < 100.0 * rtol
    assert abs(run.x[:, 1] + 2.0 * np.sin(2.0 * run.t)).max() < 200.0 * rtol


def test_kepler_returns_after_one_period():
    """An orbit of eccentricity 0.6 closes after 2π, with its energy and angular momentum."""
    e = 0.6
    start = [1.0 - e, 0.0, 0.0, math.sqrt((1.0 + e) / (1.0 - e))]
    run = integrate(kepler(), start, 0.0, 2.0 * math.pi, [], DormandPrince(rtol=1e-11, atol=1e-13))
    x, y, u, v = run.x.T
    assert run.x[-1] == pytest.approx(start, abs=1e-8)
    assert 0.5 * (u**2 + v**2) - 1.0 / np.hypot(x, y) == pytest.approx(-0.5, abs=1e-9)
    assert x * v - y * u == pytest.approx(math.sqrt(1.0 - e**2), abs=1e-9)


@pytest.mark.parametrize("method", [RK4(0.03), DormandPrince()], ids=["RK4", "Dormand-Prince"])
def test_samples_are_exact_and_consistent(method):
    """at(t_i) is x_i bit for bit, ẋ_i is f(t_i, x_i) bit for bit, and the run ends at t_end exactly."""
    f = oscillator()
    run = integrate(f, [1.0, 0.5], 0.1, 2.0, [3.0], method)
    assert run.at(run.t).tobytes() == run.x.tobytes()
    inputs = np.column_stack([run.t, run.x, np.full(len(run.t), 3.0)])
    assert f.many(inputs).tobytes() == run.dx.tobytes()
    assert (run.t[0], run.t[-1]) == (0.1, 2.0)
    assert (np.diff(run.t) > 0.0).all()


@pytest.mark.parametrize("method", [RK4(0.1), DormandPrince(), Radau()], ids=["RK4", "Dormand-Prince", "Radau"])
def test_dense_output_is_continuous(method):
    """The state just before a sample is the sample, to rounding."""
    run = integrate(oscillator(), [1.0, 0.5], 0.0, 2.0, [3.0], method)
    before = np.nextafter(run.t[1:], 0.0)
    assert run.at(before) == pytest.approx(run.x[1:], abs=1e-14)
    assert run.at(1.0).shape == (2,)


@pytest.mark.parametrize("method", [RK4(0.01, every=3), DormandPrince(rtol=1e-6), Radau(rtol=1e-6)],
                         ids=["RK4", "Dormand-Prince", "Radau"])  # fmt: skip
def test_python_and_machine_code_give_the_same_bits(method):
    """A short run of the kernels as Python is equal bit for bit to their machine code."""
    runs = [integrate(kepler(), [1.0, 0.0, 0.1, 0.9], 0.0, 0.7, [], method, call=call) for call in (invoke, interpret)]
    native, meant = ([run.t.tobytes(), run.x.tobytes(), run.dx.tobytes(), run.bend.tobytes()] for run in runs)
    assert native == meant


def test_fixed_steps_do_not_accumulate_rounding():
    """t_i = t0 + i step, rounded once; the last step is shortened, a sliver joins the step before it."""
    run = integrate(oscillator(), [1.0, 0.0], 0.0, 1.05, [1.0], RK4(0.1))
    assert run.t.tolist() == [*(i * 0.1 for i in range(11)), 1.05]
    assert len(integrate(oscillator(), [1.0, 0.0], 0.0, 0.3, [1.0], RK4(0.1)).t) == 4


def test_recording_every_few_steps_keeps_the_last():
    """Samples are steps 0, 4, 8 and the end; they are those of the full record."""
    full = integrate(oscillator(), [1.0, 0.0], 0.0, 1.0, [1.0], RK4(0.1))
    few = integrate(oscillator(), [1.0, 0.0], 0.0, 1.0, [1.0], RK4(0.1, every=4))
    assert few.x.tobytes() == full.x[[0, 4, 8, 10]].tobytes()


@pytest.mark.parametrize("method", [RK4(1e-3), DormandPrince(max_step=1e-3)], ids=["RK4", "Dormand-Prince"])
def test_long_runs_come_back_now_and_then(method):
    """Progress is told in between, growing to the end; chunks leave no trace in the samples."""
    heard: list[float] = []
    run = integrate(oscillator(), [1.0, 0.0], 0.0, 12.0, [1.0], method, progress=heard.append)
    assert len(heard) > 1
    assert heard == sorted(heard)
    assert heard[-1] == 12.0
    assert abs(run.x[:, 0] - np.cos(run.t)).max() < 1e-10
    assert run.stats.steps == len(run.t) - 1


def test_an_interrupt_between_chunks_ends_the_run():
    """What `progress` raises goes through."""

    def stop(t: float) -> None:
        raise KeyboardInterrupt(str(t))

    with pytest.raises(KeyboardInterrupt, match=r"\d"):
        integrate(oscillator(), [1.0, 0.0], 0.0, 100.0, [1.0], RK4(1e-3), progress=stop)


@pytest.mark.parametrize("method", [RK4(0.1), DormandPrince(), Radau()], ids=["RK4", "Dormand-Prince", "Radau"])
def test_no_time_and_no_states_are_legal(method):
    """t_end = t0 gives one sample; a program without states just lets time pass."""
    once = integrate(oscillator(), [1.0, 2.0], 3.0, 3.0, [1.0], method)
    assert (once.t.tolist(), once.at(3.0).tolist()) == ([3.0], [1.0, 2.0])
    empty = integrate(right_hand_side("t", (), [], ()), [], 0.0, 1.0, [], method)
    assert empty.t[-1] == 1.0
    assert empty.x.shape == (len(empty.t), 0)


FAILURES = [
    (growth, [1.0], DormandPrince(), r"stopped at t = 0.99999.*the step became too small"),
    (growth, [1.0], RK4(0.01), r"stopped at t = 1.0\d.*the derivative is not finite \(of 'x'\)"),
    (growth, [1.0], DormandPrince(max_steps=20), "more steps were needed than allowed"),
    (root, [0.0], DormandPrince(), r"stopped at t = (1.0|0.9999).*the derivative is not finite \(of 'x'\)"),
    (root, [0.0], RK4(0.3), r"stopped at t = 1.2.*the derivative is not finite"),
    (growth, [1e200], RK4(0.1), r"stopped at t = 0.0: the derivative is not finite"),
    (growth, [math.nan], RK4(0.1), "The initial value of 'x' is not finite"),
    (growth, [1.0, 2.0], RK4(0.1), "do not fit a program of 2 inputs"),
    (growth, [1.0], DormandPrince(atol=(1e-9, 1e-9)), "2 values of atol do not fit 1 states"),
    (growth, [1.0], RK4(1e-12), "more than max_steps"),
]


@pytest.mark.parametrize(("function", "x0", "method", "message"), FAILURES)
def test_failures_say_what_and_where(function, x0, method, message):
    """A run that cannot go on stops with the reason, the time and the state; nothing hangs."""
    with pytest.raises(IntegrationError, match=message):
        integrate(function(), x0, 0.0, 3.0, [], method)


def test_time_goes_forward():
    """An end before the start is refused."""
    with pytest.raises(IntegrationError, match=r"Time cannot go from 1.0 to 0.0"):
        integrate(growth(), [1.0], 1.0, 0.0, [], RK4(0.1))


@pytest.mark.parametrize(
    ("make", "settings"),
    [
        (RK4, {"step": 0.0}),
        (RK4, {"step": math.nan}),
        (RK4, {"step": 0.1, "every": 0}),
        (DormandPrince, {"rtol": -1.0}),
        (DormandPrince, {"atol": 0.0}),
        (DormandPrince, {"max_step": 0.0}),
        (DormandPrince, {"first_step": -1.0}),
    ],
)
def test_methods_refuse_settings_that_cannot_step(make, settings):
    """Steps and tolerances are positive numbers."""
    with pytest.raises(IntegrationError, match=r"cannot step|every of lw\.RK4 is 0"):
        make(**settings)


def test_a_solution_ends_where_it_ends():
    """Asking outside the run is an error that says the range."""
    run = integrate(growth(), [1.0], 0.0, 0.5, [], RK4(0.1))
    with pytest.raises(EvaluationError, match=r"t = 0.6 lies outside the solution, which runs from 0.0 to 0.5"):
        run.at([0.1, 0.6])
