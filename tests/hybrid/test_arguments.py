"""Arguments that were misspelled, or are of the wrong kind: the error shows them and says what was meant."""

import pytest

import latchwork as lw


def slider() -> lw.Model:
    """A particle on a straight line."""
    model = lw.Model("slider")
    q1 = model.coordinate("q1")
    model.particle("P", model.origin.at("P", q1 * model.frame.x), 1.0)
    return model


def touching(model: lw.Model, **laws: object) -> object:
    floor = lw.Plane(point=model.origin, normal=model.frame.x)
    return model.contact("floor", model.system().bodies[0].sphere(0.1), floor, **laws)


MISSPELLED = {
    "simulate": (lambda: lw.simulate(slider(), untill=1.0), r"simulate takes no argument 'untill' \(given 1\.0\)\. Did "
                 r"you mean 'until'\?"),
    "Simulation": (lambda: lw.Simulation(slider(), q=[0.0], methd=None), "Simulation takes .* 'methd' .*'method'"),
    "simulate_many": (lambda: lw.simulate_many(slider(), {}, 1.0, worker=2), "simulate_many .* 'worker' .*'workers'"),
    "contact": (lambda: touching(slider(), restitition=0.5), r"contact takes no argument 'restitition' \(given 0\.5\)"
                r"\. Did you mean 'restitution'"),
    "rule": (lambda: slider().rule("end", "q1", holds=()), r"rule takes no argument 'holds' .* Did you mean 'hold'\?"),
    "Coulomb": (lambda: lw.Coulomb(0.5, dynamics=0.4), r"Coulomb takes no argument 'dynamics' \(given 0\.4\)\. Did you "
                "mean 'dynamic'"),
    "nothing near": (lambda: lw.Coulomb(0.5, xyz=0.4), r"Coulomb takes no argument 'xyz' .* Known: mu, dynamic, "
                     r"rolling, pivoting\."),
    "RK4": (lambda: lw.RK4(steps=1e-3), r"RK4 takes no argument 'steps' \(given 0\.001\)\. Did you mean 'step'\?"),
    "DormandPrince": (lambda: lw.DormandPrince(rtoll=1e-6), "DormandPrince takes no argument 'rtoll' .* mean 'rtol'"),
    "SciPy": (lambda: lw.SciPy(max_stp=1.0), "SciPy takes no argument 'max_stp' .* Did you mean 'max_step'"),
}  # fmt: skip


@pytest.mark.parametrize("call", MISSPELLED)
def test_a_misspelled_argument_is_told_from_the_one_that_was_meant(call):
    """Which function, which argument with its value, and the nearest one there is; who catches a TypeError gets it."""
    do, match = MISSPELLED[call]
    with pytest.raises(lw.LatchworkError, match=match):
        do()
    with pytest.raises(TypeError, match=match):
        do()


def test_a_contact_of_a_running_simulation_is_spelled_as_that_of_a_model():
    """sim.contact answers as model.contact."""
    sim = lw.Simulation(slider(), q=[0.0])
    with pytest.raises(lw.ArgumentError, match=r"contact takes no argument 'frictoin' .* Did you mean 'friction'\?"):
        sim.contact("floor", None, None, frictoin=0.1)


@pytest.mark.parametrize(("method", "make"), [(lw.RK4, r"lw\.RK4\(step=1e-3\)"), (lw.SciPy, r"lw\.SciPy\(\)")])
def test_a_class_is_no_method_of_integration(method, make):
    """A method has settings; the error shows how one is made."""
    with pytest.raises(lw.ModelError, match=f"the method of integration is {method.__name__} itself, .* of it: {make}"):
        lw.simulate(slider(), until=1.0, q=[0.0], method=method)


@pytest.mark.parametrize(("make", "setting", "value"), [
    (lw.DormandPrince, "rtol", "1e-6"), (lw.DormandPrince, "atol", ("1e-6",)), (lw.DormandPrince, "max_step", None),
    (lw.RK4, "step", "0.1"), (lw.RK4, "every", True), (lw.SciPy, "rtol", "1e-6"), (lw.Sundials, "atol", [[1.0], []]),
])  # fmt: skip
def test_settings_of_a_method_are_numbers(make, setting, value):
    """Text and truth values are refused by the name of the setting, with what was given."""
    others = {"step": 0.1} if make is lw.RK4 else {}
    with pytest.raises(lw.IntegrationError, match=rf"{setting} of lw\.{make.__name__} is .* no number\. Give it as a"):
        make(**others | {setting: value})


@pytest.mark.parametrize("place", [5, None, ["build"]])
def test_an_export_goes_to_a_path(place):
    """What is no path is shown, and what a path looks like."""
    with pytest.raises(lw.EvaluationError, match=r"an export cannot be written to .*, which is no path\. Give the"):
        lw.export_c(slider().equations(), place)


def test_a_simulation_advances_to_a_number():
    """A time with its unit is no number."""
    sim = lw.Simulation(slider(), q=[0.0])
    with pytest.raises(lw.EvaluationError, match=r"until = '5 s' is no time\. Give a number of seconds"):
        sim.advance("5 s")


@pytest.mark.parametrize(("step", "told"), [("1 ms", r"step = '1 ms' is no time"), (0.0, r"a tick of 0\.0 s cannot"),
                                            (-1e-3, r"a tick of -0\.001 s cannot"), (float("nan"), "a tick of nan s")])
def test_a_tick_is_a_number_of_seconds(step, told):
    """What is no length of time is refused, and the simulation goes on as if nothing was asked."""
    sim = lw.Simulation(slider(), q=[0.0], u=[1.0])
    with pytest.raises(lw.EvaluationError, match=told):
        sim.tick(step)
    sim.tick(1e-3)
    assert sim.t == 1e-3


@pytest.mark.parametrize("name", ["rtol", "tolerence", "dt"])
def test_a_tolerance_given_to_a_run_is_sent_to_the_method(name):
    """Tolerances and steps are those of the method, and the error says how to give them."""
    with pytest.raises(lw.ArgumentError, match=r"belong to the method: method=lw.DormandPrince\(rtol="):
        lw.simulate(lw.Model("empty"), 1.0, **{name: 1e-3})
