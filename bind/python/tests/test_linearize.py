"""Equilibria, steady motions, eigenvalues and state-space models."""

import csv
import json
import pickle

import numpy as np
import pytest

import zwang

DOUBLE = """
param m = 1, l = 1, g = 9.81
coord P = (0.1, -1), Q = (0.2, -2)
kinetic 1/2*m*P'^2 + 1/2*m*Q'^2
potential m*g*P.y + m*g*Q.y
constraint upper: P^2 = l^2
constraint lower: (Q - P)^2 = l^2
"""
DISC = """
param w = 0.7
coord x, y, h, e, p
let c = (x, y, 0) + (sin(e)*sin(h), -sin(e)*cos(h), cos(e))
kinetic 1/2*c'^2 + 1/8*(e'^2 + (h'*cos(e))^2) + 1/4*(p' + h'*sin(e))^2
potential c.z
constraint along:  x' = p'*cos(h)
constraint across: y' = p'*sin(h)
start p' = w, x' = w
"""
CRANE = """
param M = 2, m = 1, l = 0.5, g = 9.81, u = 0
coord X, P = (0, -0.5)
kinetic 1/2*M*X'^2 + 1/2*m*P'^2
potential m*g*P.y
constraint rod: (P.x - X)^2 + P.y^2 = l^2
force X = u
output angle = atan2(P.x - X, -P.y)
"""
SPRING = "param k = 4\ncoord x = 1\nkinetic 1/2*x'^2\npotential 1/2*k*x^2\n"


def test_double_pendulum():
    """w^2 = (2 -+ sqrt 2) g/l; Q moves by -+ sqrt 2 + 1 times as much as P; the rods hold 2 m g and m g, with gradients 2 l."""
    found = zwang.Model(text=DOUBLE).linearize()
    assert found.at == "equilibrium" and found.verdict == "undamped" and found.isolated is True
    assert found.q == pytest.approx([0, -1, 0, -2], abs=1e-12) and not found.v.any() and abs(found.a).max() < 1e-12
    assert found["P.y"] == -1 and found["P.x'"] == 0
    w = np.sqrt(9.81 * (2 + np.array([-1, 1]) * np.sqrt(2)))
    assert found.eigenvalues.dtype == np.complex128
    assert found.eigenvalues == pytest.approx([1j * w[0], -1j * w[0], 1j * w[1], -1j * w[1]], abs=1e-10)
    assert set(found.kinds) == {"undamped"} and found.constraint_zeros == 4 and found.symmetry_zeros == 0
    ratio = found.shapes["Q.x"] / found.shapes["P.x"]
    assert ratio == pytest.approx([1 + np.sqrt(2)] * 2 + [1 - np.sqrt(2)] * 2)
    assert found.reactions == pytest.approx({"upper": -9.81, "lower": -9.81 / 2})
    assert found.moved.name in ("P.x", "Q.x") and found.moved.from_ > 0
    mode = found.modes[0]
    assert mode.shape["Q.x"] == 1 and mode.frequency == pytest.approx(w[0])
    assert mode.hertz == pytest.approx(w[0] / (2 * np.pi)) and mode.damping == 0 and np.isnan(mode.time_constant)
    assert "undamped" in str(found) and repr(found) == "<zwang.Linearization: equilibrium at t = 0, 4 eigenvalues, undamped>"
    with pytest.raises(KeyError, match="did you mean 'P.[xy]'"):
        found["P.z"]


@pytest.mark.parametrize("w", [0.3, 0.7])
def test_rolling_disc(w):
    """s^2 = 4/5 (1 - 3 w^2)."""
    found = zwang.Model(text=DISC).linearize(params={"w": w})
    s = np.sqrt(complex(0.8 * (1 - 3 * w**2)))
    assert found.at == "steady" and found.isolated is None and found.moved is None
    moving = found.eigenvalues[found.kinds != "symmetry"]
    assert moving == pytest.approx([s, -s], abs=1e-11)
    assert found.symmetry_zeros == 6 and found.constraint_zeros == 2
    assert found.verdict == ("unstable" if w < 3**-0.5 else "undamped")
    assert found["p'"] == pytest.approx(w)


def test_the_program_says_the_same(zwang_program, tmp_path):
    (tmp_path / "disc.zw").write_text(DISC)
    told = json.loads(zwang_program("linearize", "disc.zw", "--json").stdout)
    found = zwang.Model(text=DISC).linearize()
    assert [complex(m["re"], m["im"]) for m in told["eigenvalues"]] == found.eigenvalues.tolist()
    assert [m["kind"] for m in told["eigenvalues"]] == found.kinds.tolist()
    assert [m["shape"]["e"]["re"] for m in told["eigenvalues"]] == found.shapes["e"].real.tolist()
    assert told["q"] == dict(zip(found.coordinates, found.q)) and told["v"] == dict(zip(found.coordinates, found.v))
    assert {r["constraint"]: r["value"] for r in told["reactions"]} == found.reactions
    for key in ("verdict", "residual", "isolated", "symmetry_zeros", "constraint_zeros"):
        assert told[key] == getattr(found, key), key
    assert np.array_equal(told["matrix"], found.A) and np.array_equal(told["basis"], found.basis.T)
    assert np.array_equal(told["projection"], found.projection)


def test_root_locus(zwang_program, tmp_path):
    values = np.linspace(0, 1, 21)
    locus = zwang.Model(text=DISC).locus("w", values)
    assert locus.eigenvalues.shape == (21, 8) and len(locus.linearizations) == 21
    largest = locus.eigenvalues.real.max(axis=1)
    assert largest == pytest.approx(np.sqrt(np.maximum(0, 0.8 * (1 - 3 * values**2))), abs=1e-10)
    (change,) = locus.changes
    assert change[2:] == ("unstable", "undamped", False, "verdict", ()) and change.before < 3**-0.5 < change.after
    assert change.after - change.before < 1e-7
    assert repr(locus) == "<zwang.Locus: 21 values of w, 8 eigenvalues>"
    # followed as the program does
    (tmp_path / "disc.zw").write_text(DISC)
    border = json.loads(zwang_program("linearize", "disc.zw", "--over", "w=0..1:21", "--json").stdout)["borders"]
    assert border == [{"low": change[0], "high": change[1], "before": change[2], "after": change[3], "ends": False, "kind": "verdict", "changed": []}]
    with open(tmp_path / "disc.locus.csv", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    told = np.array([[float(x) for x in row[1:-2]] for row in rows]).view(complex)
    assert told == pytest.approx(locus.eigenvalues, abs=1e-12)
    assert [row[-1] for row in rows] == locus.verdicts.tolist()


def test_a_locus_goes_on_from_the_equilibrium_before():
    """A bar on a turntable leaves the vertical at W^2 = g/l, and stays on its side."""
    text = "param W = 0\ncoord a = 0.3\nkinetic 1/2*a'^2\npotential -9.81*cos(a) - 1/2*W^2*sin(a)^2\n"
    model = zwang.Model(text=text)
    locus = model.locus("W", np.linspace(3.2, 4, 11))
    angles = np.array([answer["a"] for answer in locus.linearizations])
    assert angles == pytest.approx(np.arccos(9.81 / locus.values**2)) and set(locus.verdicts) == {"undamped"}
    alone = model.linearize(params={"W": 4})
    assert alone["a"] == pytest.approx(0, abs=1e-9) and alone.verdict == "unstable"


def test_borders():
    """Damping c: unstable, undamped at 0 alone, stable; and a gap without an answer."""
    text = "param c = 0\ncoord x = 0.1\nkinetic 1/2*x'^2\npotential 1/2*x^2\nforce x = -c*x'\n"
    model = zwang.Model(text=text)
    words = [change[2:4] for change in model.locus("c", [-1, 0, 1]).changes]
    assert words == [("unstable", "undamped"), ("undamped", "stable")]
    (change,) = model.locus("c", [-1, 2]).changes
    assert abs(change.before) < 1e-6 and abs(change.after) < 1e-6
    gap = zwang.Model(text=text.replace("1/2*x^2", "1/2*x^2*(1 + sqrt(c^2 - 1/4))"))
    assert gap.locus("c", [2, 1, -1, -2]).changes == [(1, -1, "stable", "unstable", False, "verdict", ())]


def test_corners_of_a_branch(zwang_program, tmp_path):
    """A spring pulled into a stop at 0.5, and a well whose left half ends at 2/(3 sqrt 3) on the other side of it."""
    text = "param P = 0\ncoord x = -1, y = 0.1\nkinetic 1/2*x'^2 + 1/2*y'^2\npotential 1/2*x^2 - P*x + 2*y^2\ncontact w: x <= 0.5\n"
    locus = zwang.Model(text=text).locus("P", np.linspace(-1, 1, 9))
    (change,) = locus.changes
    assert change.kind == "corner" and not change.ends and change.changed == (zwang.Changed("w", "open", "closed"),)
    assert change.before == pytest.approx(0.5, abs=1e-7) and change.after == pytest.approx(0.5, abs=1e-7)
    assert locus.eigenvalues.shape == (9, 4) and not np.isnan(locus.eigenvalues[:6]).any()
    assert np.isnan(locus.eigenvalues[6:]).sum(axis=1).tolist() == [2, 2, 2]
    gone = np.isnan(locus.eigenvalues[8])
    assert np.abs(locus.eigenvalues[5][gone]) == pytest.approx(1) and np.abs(locus.eigenvalues[8][~gone]) == pytest.approx(2)
    (tmp_path / "stop.zw").write_text(text)
    told = json.loads(zwang_program("linearize", "stop.zw", "--over", "P=-1..1:9", "--json").stdout)["borders"]
    words = {"before": change[2], "after": change[3], "ends": False, "kind": "corner"}
    assert told == [{"low": change[0], "high": change[1], **words, "changed": [{"name": "w", "before": "open", "after": "closed"}]}]
    with open(tmp_path / "stop.locus.csv", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    table = np.array([[float(x) for x in row[1:-2]] for row in rows]).view(complex)
    assert np.array_equal(np.isnan(table), np.isnan(locus.eigenvalues))
    well = zwang.Model(text="param P = 0\ncoord x = -1\nkinetic 1/2*x'^2\npotential 1/4*x^4 - 1/2*x^2 - P*x\ncontact w: x <= 0.5\n")
    (end,) = well.locus("P", [0, 0.3, 10]).changes
    assert end.kind == "end" and end.ends and end.after == pytest.approx(2 / 3 / 3**0.5, rel=2e-8)
    assert end.changed == (zwang.Changed("w", "open", "closed"),)


def test_a_branch_goes_on_where_another_is_nearer():
    """A strut that is not quite straight, loaded beyond its critical load in one step."""
    model = zwang.Model(text="param P = 0\ncoord a = 0.05\nkinetic 1/2*a'^2\npotential 1/2*(a - 0.01)^2 - P*(1 - cos(a))\n")
    locus = model.locus("P", [0, 3])
    a = locus.linearizations[1]["a"]
    assert locus.changes == [] and a > 2 and a - 0.01 == pytest.approx(3 * np.sin(a))
    (end,) = model.locus("P", [3, 2, 0]).changes
    assert end.ends and end.after == pytest.approx(1.048973, rel=1e-6)


def test_values_without_an_answer():
    model = zwang.Model(text="param k = 0\ncoord x\nkinetic 1/2*x'^2\npotential 1/2*k*x^2 - x\n")
    with pytest.raises(zwang.Error, match="no equilibrium was found"):
        model.locus("k", [1, 0, 4])
    locus = model.locus("k", [1, 0, 4], return_errors=True)
    assert locus.verdicts.tolist() == ["undamped", "failed", "undamped"]
    assert np.isnan(locus.eigenvalues[1]).all() and locus.eigenvalues[2] == pytest.approx([2j, -2j])
    assert locus.kinds[1].tolist() == ["", ""]
    (end,) = locus.changes  # x = 1/k goes to infinity
    assert end.ends and abs(end.before) < 1e-6 and end.verdict_after == "none"
    assert isinstance(locus.linearizations[1], zwang.Error)
    assert model.locus("k", [0.0], return_errors=True).eigenvalues.shape == (1, 0)
    for values in ([], 3, [[1, 2]]):
        with pytest.raises(zwang.Error, match="list of numbers"):
            model.locus("k", values)
    with pytest.raises(zwang.Error, match="given a value besides"):
        model.locus("k", [1, 2], params={"k": 1})


def test_state_space():
    """A crane: u pushes the trolley. angle/u = -1 / (M l s^2 + (M + m) g)."""
    found = zwang.Model(text=CRANE).linearize(inputs="u", outputs=["angle", "X'", "P", "reaction(rod)"])
    assert found.outputs == ("angle", "X'", "P.x", "P.y", "reaction(rod)") and found.inputs == ("u",)
    assert (found.A.shape, found.B.shape, found.C.shape, found.D.shape) == ((4, 4), (4, 1), (5, 4), (5, 1))
    for s in (1 + 1j, 3j, 7.0):
        transfer = found.C @ np.linalg.solve(s * np.eye(4) - found.A, found.B) + found.D
        angle = -1 / (s**2 + 3 * 9.81)
        assert transfer[0, 0] == pytest.approx(angle, rel=1e-9)
        assert transfer[1, 0] == pytest.approx((1 + 9.81 * angle) / (2 * s), rel=1e-9)  # M X'' = u + m g angle
    assert found.projection @ found.basis == pytest.approx(np.eye(4), abs=1e-14)
    assert sorted(np.linalg.eigvals(found.A).imag) == pytest.approx(sorted(found.eigenvalues.imag), abs=1e-6)


def test_scipy_takes_it():
    signal = pytest.importorskip("scipy.signal")
    found = zwang.Model(text=CRANE).linearize(inputs=["u", "g"], outputs="angle")
    system = signal.StateSpace(found.A, found.B, found.C, found.D)
    t, out, _ = signal.lsim(system, np.ones((201, 2)) * [1, 0], np.linspace(0, 2, 201))
    w = np.sqrt(3 * 9.81)
    assert out == pytest.approx((np.cos(w * t) - 1) / w**2, abs=1e-9)


def test_feedback_by_the_state_space():
    """Gains for x, written for q and v, hold the pendulum of a nonlinear run upright."""
    text = CRANE.replace("P = (0, -0.5)", "P = (0, 0.5)")
    model = zwang.Model(text=text)
    found = model.linearize(inputs="u")
    assert found.verdict == "unstable"
    ctrb = np.hstack([np.linalg.matrix_power(found.A, k) @ found.B for k in range(4)])
    wanted = np.linalg.multi_dot([found.A + k * np.eye(4) for k in (2, 3, 4, 5)])  # Ackermann: poles at -2 .. -5
    gains = np.linalg.solve(ctrb.T, np.eye(4)[-1]) @ wanted @ found.projection
    steady = np.concatenate([found.q, found.v])
    held = model.run(6, start={"P": (0.05, 0.497)}, force=lambda t, q, v: {"X": -gains @ (np.r_[q, v] - steady)})
    assert held.q[-1] == pytest.approx([0, 0, 0.5], abs=1e-3)
    closed = model.linearize(force=lambda t, q, v: {"X": -gains @ (np.r_[q, v] - steady)})
    assert np.sort(closed.eigenvalues.real) == pytest.approx([-5, -4, -3, -2], abs=1e-4)
    assert closed.verdict == "stable"


def test_at_a_time():
    model = zwang.Model(text="coord x = 1\nkinetic 1/2*x'^2\npotential 1/4*x^4\nstop when x < 0.2\n")
    for at in (0, 0.5, np.float64(0.5)):
        found = model.linearize(at)
        assert found.at == "state" and found.t == at and found.eigenvalues[0].imag == pytest.approx(np.sqrt(3) * found["x"])
    assert found["x'"] < 0
    with pytest.raises(zwang.Error, match="stops at t = .*, before it comes to at=9"):
        model.linearize(9)
    with pytest.raises(zwang.Error, match="before that"):
        model.linearize(-1)
    with pytest.raises(zwang.Error, match="finite"):
        model.linearize(np.nan)


def test_a_large_model():
    """Its solve is sparse, unless it is linearized: 80 springs in a row, w = 2 sin(k pi / 162)."""
    text = "coord x[1..80] = 0.1\nfor i in 1..80 { kinetic 1/2*x[i]'^2 }\npotential 1/2*x[1]^2 + 1/2*x[80]^2\n"
    model = zwang.Model(text=text + "for i in 2..80 { potential 1/2*(x[i] - x[i - 1])^2 }\n")
    assert model.start().report.is_sparse
    w = 2 * np.sin(np.arange(1, 81) * np.pi / 162)
    assert np.sort(model.linearize().eigenvalues.imag)[80:] == pytest.approx(w)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"at": "rest"}, 'at is None, "equilibrium", "steady" or a time, not \'rest\''),
        ({"at": True}, "not True"),
        ({"inputs": "l"}, "'l' is no input: it moves the constraint 'rod'"),
        ({"inputs": ["u", "v"]}, "'v' is no input: the model has no parameter"),
        ({"outputs": "angel"}, "did you mean 'angle'"),
        ({"outputs": "t"}, "outputs are columns"),
        ({"params": {"k": 1}}, "no parameter, coordinate or velocity 'k'"),
        ({"integrator": "euler"}, "no integrator"),
    ],
)
def test_what_cannot_be(options, message):
    with pytest.raises(zwang.Error, match=message):
        zwang.Model(text=CRANE).linearize(**options)


def test_messages_speak_python():
    with pytest.raises(zwang.Error) as caught:
        zwang.Model(text="coord z\nkinetic 1/2*z'^2\npotential 9.81*z\n").linearize()
    assert "no equilibrium was found" in str(caught.value) and '(at="steady") or a state (at=T)' in str(caught.value)
    assert caught.value.status == "ZW_ERR_STEP" and "--" not in str(caught.value)
    rod = zwang.Constraint("positions", lambda t, q, v: zwang.Row(2 * q, -2 * v @ v, q @ q - 1))
    model = zwang.Model(text="coord x, y = -1\nkinetic 1/2*(x'^2 + y'^2)\npotential y\n", constraints={"rod": rod})
    with pytest.raises(zwang.Error, match="those that Python computes do not tell"):
        model.linearize()


def test_answers_outlive_their_model():
    found = zwang.Model(text=SPRING).linearize()
    again = pickle.loads(pickle.dumps(found))
    assert again.eigenvalues.tolist() == found.eigenvalues.tolist() == pytest.approx([2j, -2j])
    assert again.modes == found.modes and np.array_equal(again.A, found.A)


def test_what_a_force_raises_is_raised():
    with pytest.raises(ZeroDivisionError):
        zwang.Model(text=SPRING).linearize(force=lambda t, q, v: 1 / 0)


def test_contacts_and_friction():
    wall = "coord a = 1\nkinetic 1/2*a'^2\npotential -9.81*cos(a)\ncontact wall: sin(a) >= 0.2\n"
    found = zwang.Model(text=wall).linearize()
    assert found["a"] == pytest.approx(np.arcsin(0.2), abs=1e-12) and found.contacts == {"wall": "closed"}
    assert [(move.name, move.from_) for move in found.moves] == [("a", 1.0)]
    dry = "coord x = 0.1\nkinetic 1/2*x'^2\npotential 1/2*x^2\nforce x = -0.3*sign(x')\n"
    found = zwang.Model(text=dry).linearize()
    assert found["x"] == 0.1 and found.held == ("sign(x')",) and found.verdict == "stuck" and found.moves == ()


def test_corners_are_told():
    kinked = "coord x = 1\nkinetic 1/2*x'^2\npotential if x > 0 then 2*x^2 else 5*x^2\n"
    found = zwang.Model(text=kinked).linearize()
    assert found["x"] == 0 and found.corners == ("0 < x",) and found.verdict == "corner"
    assert zwang.Model(text=SPRING).linearize().corners == ()


def test_typed_velocities_are_held():
    fall = zwang.Model(text="coord z\nkinetic 1/2*z'^2\npotential 9.81*z\nforce z = -0.3*z'\nstart z' = -3\n")
    with pytest.raises(zwang.Error, match="was given as -3"):
        fall.linearize()
    assert fall.linearize(anywhere=True)["z'"] == pytest.approx(-32.7)


def test_an_equilibrium_ends():
    """The left one of a double well is there up to P = 2/(3 sqrt 3)."""
    text = "param P = 0\ncoord x = -1\nkinetic 1/2*x'^2\npotential 1/4*x^4 - 1/2*x^2 - P*x\n"
    locus = zwang.Model(text=text).locus("P", np.linspace(-0.2, 1, 13))
    (end,) = locus.changes
    assert end.ends and end.before == pytest.approx(2 / 3 / 3**0.5, abs=1e-7) and end.verdict_after == "undamped"
    slope = "param P = 0\ncoord x = -1\nkinetic 1/2*x'^2\npotential 1/3*x^3 - x + P*x\n"  # x^2 = 1 - P
    locus = zwang.Model(text=slope).locus("P", [0, 0.5, 1.5, 2], return_errors=True)
    (end,) = locus.changes
    assert end.ends and end.before == pytest.approx(1, abs=1e-6) and end.verdict_after == "none"
    assert list(locus.verdicts) == ["unstable", "unstable", "failed", "failed"]
