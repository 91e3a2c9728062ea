"""The forces that make a motion."""

import csv
import json
import pickle

import numpy as np
import pytest

import zwang

PENDULUM = "param m = 2, l = 0.7, g = 9.81\ncoord th = 0.3\nkinetic 1/2*m*l^2*th'^2\npotential -m*g*l*cos(th)\nrun 0 .. 2\n"
ROD = """
param m = 2, l = 0.7, g = 9.81
coord x = 0.7*sin(0.3), y = -0.7*cos(0.3)
kinetic 1/2*m*(x'^2 + y'^2)
potential m*g*y
constraint rod: x^2 + y^2 = l^2
run 0 .. 2
"""
TWO = "coord P = (0, 0)\nkinetic 1/2*(3*P.x'^2 + 5*P.y'^2) + P.x'*P.y'\nrun 0 .. 1\n"
T = np.linspace(0, 2, 201)


def swing(t):
    """An angle and its rates."""
    return 0.3 * np.cos(3 * t), -0.9 * np.sin(3 * t), -2.7 * np.cos(3 * t)


def torque(t):
    angle, _, rate = swing(t)
    return 2 * 0.49 * rate + 2 * 9.81 * 0.7 * np.sin(angle)


def named(*names, t=T):
    return {"t": t} | dict(zip(names, swing(t)))


def test_torque_of_a_pendulum():
    """m l^2 th'' + m g l sin th, exactly where all rates are given."""
    found = zwang.Model(text=PENDULUM).forces(named("th", "th'", "th''"), every=0.01)
    assert found.force["th"] == pytest.approx(torque(found.t), abs=1e-12)
    assert found.t == pytest.approx(T) and found.q[:, 0] == pytest.approx(swing(T)[0])
    assert found.v[:, 0] == pytest.approx(swing(T)[1]) and found.a[:, 0] == pytest.approx(swing(T)[2])
    assert found.by == ("th",) and found.is_full and found.lacks == [] and found.doubt is None and found.unused == ()
    (actuator,) = found.actuators
    assert actuator.name == "th" and actuator.largest == pytest.approx(torque(0)) and actuator.t_largest == 0
    assert actuator.rms == pytest.approx(np.sqrt(np.trapz(torque(T) ** 2, T) / 2), rel=1e-6)
    power = torque(T) * swing(T)[1]
    assert abs(actuator.power) == pytest.approx(abs(power).max(), rel=1e-9)
    assert not found.missing["th"].any() and found.missing_part == 0
    assert repr(found) == "<zwang.Forces: on all coordinates, 201 rows, t = 0 .. 2>" and "power, most" in str(found)


def test_rates_are_estimated():
    found = zwang.Model(text=PENDULUM).forces(named("th"))
    assert found.force["th"] == pytest.approx(torque(found.t), abs=1e-8)
    assert found.doubt.name == "th" and 0 < found.doubt.size < 1e-8
    assert found.spline_off <= 1e-11 and len(found.t) > len(T)


def test_constraints_go_on_bearing():
    """y follows from the rod; the force is along the circle, and the rod holds what it held."""
    x = 0.7 * np.sin(swing(T)[0])
    found = zwang.Model(text=ROD).forces({"t": T, "x": x, "speed": T})
    assert found.found == ("y",) and found.unused == ("speed",) and set(found.off) == {"positions", "velocities", "accelerations"}
    angle, rate, _ = swing(found.t)
    along = found.force["x"] * np.cos(angle) + found.force["y"] * np.sin(angle)
    across = found.force["x"] * np.sin(angle) - found.force["y"] * np.cos(angle)
    assert along == pytest.approx(torque(found.t) / 0.7, abs=1e-7) and across == pytest.approx(0 * angle, abs=1e-9)
    tension = 2 * 0.7 * rate**2 + 2 * 9.81 * np.cos(angle)
    assert found.reactions["rod"] == pytest.approx(-tension / (2 * 0.7), abs=1e-7)


@pytest.mark.parametrize("text", [PENDULUM, ROD])
def test_fed_back_as_a_function(text):
    model = zwang.Model(text=text)
    angle, rate, _ = swing(T)
    motion = {"t": T, "th": angle, "th'": rate}
    if text == ROD:
        motion = {"t": T, "x": 0.7 * np.sin(angle), "x'": 0.7 * np.cos(angle) * rate}
    found = model.forces(motion)
    back = model.run(force=found, start=found.start, tolerance=1e-11)
    assert back[model.coordinates[0]] == pytest.approx(np.interp(back.t, T, motion[model.coordinates[0]]), abs=1e-4)
    last = found.q[-1]
    assert back.q[-1] == pytest.approx(last, abs=1e-8) and back.t[-1] == 2
    assert np.isnan(found(2.1)).all() and found(1.0).shape == (len(model.coordinates),)


def test_fed_back_as_a_table(tmp_path):
    found = zwang.Model(text=PENDULUM).forces(named("th", "th'"))
    found.write(tmp_path / "torque.csv")
    file = tmp_path / "driven.zw"
    file.write_text(PENDULUM + 'force th = table("torque.csv", t, "force on th")\n', encoding="utf-8")
    back = zwang.Model(file).run(tolerance=1e-11)
    assert back["th"] == pytest.approx(swing(back.t)[0], abs=1e-9)
    # the function is the spline of the table
    file.write_text(PENDULUM + 'output torque = table("torque.csv", t, "force on th")\n', encoding="utf-8")
    rows = zwang.Model(file).run(every=0.0013)
    assert [found(t)[0] for t in rows.t] == pytest.approx(rows["torque"], abs=1e-14)


def test_a_controller():
    """An arm that stands up falls over; forces and a controller hold it on its way, as docs/forces.md tells."""
    text = "coord q[1..2] = 1.5\nkinetic 1/2*q[1]'^2 + 1/2*q[2]'^2 + 0.3*q[1]'*q[2]'\npotential 40*cos(q[1]) + 20*cos(q[1] - q[2])\n"
    model = zwang.Model(text=text + "run 0 .. 2\n")
    angle, rate, _ = swing(T)
    found = model.forces({"t": T, "q": np.stack([angle, -angle], axis=1), "q'": np.stack([rate, -rate], axis=1)})
    for t in (0, 0.777, 2):
        q, v = found.motion(t)
        assert q == pytest.approx(swing(t)[0] * np.array([1, -1]), abs=1e-8)
        assert v == pytest.approx(swing(t)[1] * np.array([1, -1]), abs=1e-8)

    def hold(t, q, v):
        goal, speed = found.motion(t)
        return found(t) + 200 * (goal - q) + 10 * (speed - v)

    off = {"q": found.q[0] + 0.01, "q'": found.v[0]}
    alone = model.run(force=found, start=off)
    held = model.run(force=hold, start=off)
    assert abs(alone.q[-1] - found.q[-1]).max() > 0.1 and abs(held.q[-1] - found.q[-1]).max() < 1e-4


def test_actuators_that_are_too_few():
    """M a = Q with M = [3 1; 1 5]. A force on x alone makes the acceleration of x right."""
    t = T / 2
    P = np.stack([np.sin(t), np.cos(2 * t)], axis=1)
    rates = np.stack([-np.sin(t), -4 * np.cos(2 * t)], axis=1)
    velocities = np.stack([np.cos(t), -2 * np.sin(2 * t)], axis=1)
    model = zwang.Model(text=TWO)
    M = np.array([[3.0, 1.0], [1.0, 5.0]])
    motion = {"t": t, "P": P, "P'": velocities, "P''": rates}
    whole = model.forces(motion, by="P", every=0.005)
    assert np.stack([whole.force["P.x"], whole.force["P.y"]]) == pytest.approx(M @ rates.T, abs=1e-11)
    assert not whole.is_full and whole.lacks == []
    found = model.forces(motion, by=["P.x"], every=0.005)
    force = rates[:, 0] / np.linalg.inv(M)[0, 0]
    assert found.force["P.x"] == pytest.approx(force, abs=1e-11) and list(found.force) == ["P.x"]
    missing = M @ rates.T - np.stack([force, 0 * force])
    assert np.stack([found.missing["P.x"], found.missing["P.y"]]) == pytest.approx(missing, abs=1e-10)
    assert found.lacks[0].part == pytest.approx(found.missing_part) and found.missing_part > 0.1
    assert {lack.name for lack in found.lacks} == {"P.x", "P.y"} and "missing on P." in repr(found)
    assert "missing on" in str(found) and "missing on P.y" in found.columns
    assert found(0.5) == pytest.approx([force[100], 0], abs=1e-11)


def test_the_program_says_the_same(zwang_program, tmp_path):
    (tmp_path / "rod.zw").write_text(ROD)
    angle, rate, _ = swing(T)
    motion = {"t": T, "x": 0.7 * np.sin(angle), "x'": 0.7 * np.cos(angle) * rate, "strength": T}
    with open(tmp_path / "motion.csv", "w", encoding="utf-8") as file:
        print(*motion, sep=",", file=file)
        for row in zip(*motion.values()):
            print(*(repr(float(x)) for x in row), sep=",", file=file)
    done = zwang_program("forces", "rod.zw", "--motion", "motion.csv", "--by", "x", "--json")
    told = json.loads(done.stdout)
    found = zwang.Model(text=ROD).forces(motion, by="x")
    with open(tmp_path / told["csv"], encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0] == list(found.columns)
    assert np.array_equal(np.array(rows[1:], dtype=float), np.stack(list(found.columns.values()), axis=1))
    keys = ("largest", "t_largest", "part", "rms", "power", "t_power")
    assert [tuple(one[key] for key in keys) for one in told["forces"]] == [one[1:] for one in found.actuators]
    assert told["missing_part"] == found.missing_part and told["spline_off"] == found.spline_off
    assert told["found"] == list(found.found) and told["unused"] == list(found.unused) == ["strength"]
    assert told["from_start"] == found.is_from_start


def test_the_result_of_a_run():
    """A motion of its own needs no force; of one that was pushed the push is found."""
    model = zwang.Model(text=ROD)
    own = model.forces(model.run(tolerance=1e-12))
    assert max(abs(one.part) for one in own.actuators) < 1e-6 and own.is_from_start and own.unused == ()
    push = lambda t, q, v: np.array([-q[1], q[0]]) * np.sin(t)  # noqa: E731
    pushed = model.run(tolerance=1e-12, force=push)
    found = model.forces(pushed)
    expected = np.array([push(t, q, None) for t, q in zip(found.t, found.q)])
    assert np.stack([found.force["x"], found.force["y"]], axis=1) == pytest.approx(expected, abs=1e-5)
    rest = model.forces(pushed, force=push)  # one of the model's own
    assert max(abs(one.part) for one in rest.actuators) < 1e-6


def test_other_numbers():
    model = zwang.Model(text=PENDULUM)
    found = model.forces(named("th", "th'", "th''"), params={"g": 0}, every=0.01)
    assert found.force["th"] == pytest.approx(2 * 0.49 * swing(T)[2], abs=1e-12)


def test_names_and_shapes():
    model = zwang.Model(text="coord é, q[1..2] = 0\nkinetic 1/2*(é'^2 + q[1]'^2 + q[2]'^2)\nrun 0 .. 1\n")
    motion = {"t": T, "e\u0301": T**2, "q": np.stack([T**3, 1 - T], axis=1), 7: T}
    found = model.forces(motion, by=["e\u0301", "q"], every=0.1)
    assert found.force["é"] == pytest.approx(2 + 0 * found.t, abs=1e-8) and found.unused == ("7",)
    assert found.force["q[1]"] == pytest.approx(6 * found.t, abs=1e-7) and abs(found.force["q[2]"]).max() < 1e-8
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"t": T, "é": T**2, "q[1]": T**3, "q[2]": 1 - T})
    assert model.forces(frame, every=0.1).force["é"] == pytest.approx(2 + 0 * found.t, abs=1e-8)
    assert pandas.DataFrame(found.columns).shape[0] == len(found.t)


def test_a_large_model():
    text = "coord x[1..80]\nfor i in 1..80 { kinetic 1/2*x[i]'^2 }\npotential 1/2*x[1]^2\nfor i in 2..80 { potential 1/2*(x[i] - x[i-1])^2 }\n"
    model = zwang.Model(text=text)
    assert model.start().report.is_sparse
    found = model.forces({"t": T, "x": np.outer(T, np.ones(80))}, every=0.5)
    assert found.force["x[1]"] == pytest.approx(found.t, abs=1e-9) and abs(found.force["x[40]"]).max() < 1e-9


def test_constraints_in_python():
    rod = zwang.Constraint("positions", lambda t, q, v: zwang.Row(2 * q, -2 * v @ v, q @ q - 0.49))
    text = ROD.replace("constraint rod: x^2 + y^2 = l^2\n", "")
    angle, rate, _ = swing(T)
    motion = {"t": T, "x": 0.7 * np.sin(angle), "x'": 0.7 * np.cos(angle) * rate}
    ours = zwang.Model(text=text, constraints={"rod": rod}).forces(motion, every=0.1)
    theirs = zwang.Model(text=ROD).forces(motion, every=0.1)
    for name in ("x", "y"):
        assert ours.force[name] == pytest.approx(theirs.force[name], abs=1e-6)
    assert ours.reactions["rod"] == pytest.approx(theirs.reactions["rod"], abs=1e-6)


BAD = [
    (3, "a motion is a dictionary of columns by name, or a Result, not int"),
    ("motion.csv", "not str"),
    ({"x": T}, "needs a column 't'"),
    ({"t": [T]}, r"the times 't' of the motion have the shape \(1, 201\)"),
    ({"t": T}, "no column of the table is a coordinate"),
    ({"t": [], "x": []}, "the table has no rows"),
    ({"t": T[:4], "x": T[:4]}, "accelerations need at least 5"),
    ({"t": T, "x": T[1:]}, "'x' of the motion has 200 rows, and 't' has 201"),
    ({"t": T, "x": 0}, "'x' of the motion is a single number"),
    ({"t": T, "x": np.zeros((201, 2))}, "the model has 1 such coordinate"),
    ({"t": T, "x": ["a"] * 201}, "'x' of the motion is no column of numbers: could not convert"),
    ({"t": T, "x": 1j * T}, "no column of numbers: complex"),
    ({"t": T[::-1], "x": T}, "times must ascend"),
    ({"t": T, "x": np.where(T > 1, np.nan, 0.1)}, "x has no finite value at t = 1.01"),
    ({"t": T, "x'": T}, "the table has x' without x"),
    ({"t": T, "x": 0.1 + 0 * T, "y": 0 * T}, "violates 'rod'"),
]


@pytest.mark.parametrize(("motion", "message"), BAD)
def test_motions_that_are_none(motion, message):
    with pytest.raises(zwang.Error, match=message):
        zwang.Model(text=ROD).forces(motion)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "z"}, "the actuator 'z' is not a coordinate of the model"),
        ({"by": ["x", "x"]}, "named twice"),
        ({"by": []}, "by names no coordinate"),
        ({"within": 0}, "within must be a number above 0, not 0"),
        ({"every": -1}, "every must be a number above 0"),
        ({"every": np.nan}, "every must be a number above 0"),
        ({"tolerance": 1e-20}, "at least 1e-13"),
        ({"params": {"k": 1}}, "no parameter, coordinate or velocity 'k'"),
    ],
)
def test_what_cannot_be(options, message):
    with pytest.raises(zwang.Error, match=message):
        zwang.Model(text=ROD).forces({"t": T, "x": 0.7 * np.sin(swing(T)[0])}, **options)


def test_messages_speak_python(examples):
    with pytest.raises(zwang.Error) as caught:
        zwang.Model(text=ROD).forces({"t": T, "x": 0 * T, "y": 0.5 + 0 * T})
    assert "within=..." in str(caught.value) and "--" not in str(caught.value) and caught.value.status == "ZW_ERR_VALUE"
    with pytest.raises(zwang.Error, match="bouncing-ball.zw:8:1: error: forces cannot be found beside 'when y < 0'"):
        zwang.Model(examples / "bouncing-ball.zw").forces({"t": T, "y": T})
    with pytest.raises(ZeroDivisionError):
        zwang.Model(text=PENDULUM).forces(named("th"), force=lambda t, q, v: 1 / 0)


def test_answers_outlive_their_model():
    found = zwang.Model(text=PENDULUM).forces(named("th"))
    again = pickle.loads(pickle.dumps(found))
    assert np.array_equal(again.force["th"], found.force["th"]) and again.actuators == found.actuators
    assert again(0.7) == found(0.7)
