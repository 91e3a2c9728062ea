"""What the papers print, against their closed forms."""

import gc
import json
import threading

import numpy as np
import pytest

import zwang

# Udwadia 1996, 32-43: a velocity on a cone, stated twice
CONE = """
param m = 2
coord x = 0.3, y = 0.2, z
kinetic 1/2*m*(x'^2 + y'^2 + z'^2)
force x = m*(1 - y)
force y = m*x
force z = m/2
constraint one: (x'^2 + y'^2 - z'^2)/2 = 0
constraint two: x'^2 + y'^2 - z'^2 = 0
start x' = 0.6, y' = 0.8, z' = 1
run 0 .. 1
"""
U = np.array([0.6, 0.8, -1.0])
F = np.array([0.8, 0.3, 0.5])
TWICE = np.array([1.0, 2.0])
MASS = 2.0


def cone():
    return MASS * np.eye(3), MASS * F, np.outer(TWICE, U), np.zeros(2)


def check_cone(d):
    """T24 to T28 where u = (x', y', -z'), A = (1, 2)^T u, |v|^2 = 2"""
    along = U @ F / (U @ U)
    assert d.rank == 1 and d.J.tolist() == [0] and d.E == pytest.approx(np.array([[1], [2]]))
    assert d.a0 == pytest.approx(F) and d.d == pytest.approx(-TWICE * (U @ F))
    assert d.D == pytest.approx(np.outer(TWICE, TWICE) * (U @ U) / MASS)
    assert d.a == pytest.approx(F - along * U)
    assert d.lambda_ == pytest.approx(-MASS * along / 5 * TWICE)
    assert d.Qc == pytest.approx(-MASS * along * U)
    assert d.W == pytest.approx(np.array([[4, -2], [-2, 1]]) / 5)
    assert d.X == pytest.approx(np.eye(3) - np.outer(U, U) / (U @ U))
    assert d.gain == pytest.approx(np.outer(U, TWICE) / (5 * (U @ U)))
    assert d.G == pytest.approx(0.0242) and d.S == pytest.approx(0.9558)


def check_parts(d):
    """The partition with e = x, the recursion in the order x, y, z."""
    p, b = d.partition, d.bellman
    assert p.e.tolist() == [0] and p.i.tolist() == [1, 2]
    R = np.array([[0.8 / 0.6, -1 / 0.6]])
    assert p.R == pytest.approx(R) and p.K == pytest.approx(MASS * (np.eye(2) + R.T @ R))
    assert p.right == pytest.approx(MASS * np.array([F[1] - F[0] * 0.8 / 0.6, F[2] + F[0] / 0.6]))
    assert p.K_eigenvalues == pytest.approx([2, 100 / 9]) and p.det == pytest.approx(1.8) and p.uncoupled
    assert b.order.tolist() == [0, 1, 2] and list(b.R) == [1, 2, 3] and list(b.beta) == [2, 3]
    both = np.outer(TWICE, TWICE)
    assert b.R[1] == pytest.approx(MASS / (25 * 0.36) * both) and b.R[2] == pytest.approx(MASS / 25 * both)
    assert b.R[3] == pytest.approx(np.linalg.pinv(d.D))
    assert b.beta[2] == pytest.approx(np.sqrt(MASS) * 0.8 / (5 * 0.36) * TWICE)
    assert b.beta[3] == pytest.approx(-np.sqrt(MASS) / 5 * TWICE)
    assert b.feedback[2] == pytest.approx([-0.8]) and b.feedback[3].size == 0 and b.feedback_first.shape == (1, 2)
    assert b.g[3] == pytest.approx(2 * d.G) and b.gdrop[3] == pytest.approx(0.0484)
    assert b.y == pytest.approx(np.sqrt(MASS) * (d.a - d.a0))
    assert b.cholesky is not None and b.cholesky.R[3] == pytest.approx(b.R[3])


def check_possible(p):
    """U96: x'' = 0, y'' = 1, z'' = 0.8"""
    assert p.residual == pytest.approx([0, 0], abs=1e-12) and p.G == pytest.approx(1.22)
    assert p.excess == pytest.approx(1.1958) and p.excess == pytest.approx(p.distance2 + p.work)
    assert p.nearest == pytest.approx([0, 1, 0.8])


def test_matrices_of_u96():
    found = zwang.least(*cone(), eliminate=[0], order=[0, 1, 2], possible=[0, 1, 0.8])
    check_cone(found.detail)
    check_parts(found.detail)
    check_possible(found.detail.possible)
    assert np.isnan(found.detail.possible.G_L) and zwang.least(*cone()).detail is None


def test_frames_of_u96():
    model = zwang.Model(text=CONE)
    found = model.compare([1, 0], eliminate="x", order=["x", "y", "z"], possible={"y''": 1, "x": 0, "z''": 0.8})
    first, last = found.frames
    check_cone(first.detail)
    check_parts(first.detail)
    check_possible(first.detail.possible)
    assert first.rows == ["one", "two"] and (first.t, last.t) == (0, 1) and not first.is_stated
    assert first.q.tolist() == [0.3, 0.2, 0] and first.v == pytest.approx([0.6, 0.8, 1])
    assert first.B @ first.nu + first.r == pytest.approx(first.v)
    assert first.B @ first.nu_rate + first.c == pytest.approx(first.detail.a)
    assert first.K @ first.nu_rate == pytest.approx(first.p) and first.P == pytest.approx(first.B.T @ first.detail.h)
    assert first.X_L == pytest.approx([0, 0, 0]) and first.Q == pytest.approx(MASS * F) and first.constant == 0
    assert first.G_L == pytest.approx(0.9558) and first.S == pytest.approx(0.9558) and first.kinetic == pytest.approx(2)
    assert first.detail.possible.G_L == pytest.approx(1.64)
    assert found["bellman"].applies and found["bellman"].difference < 1e-12 and found["auto"].gaussian == pytest.approx(0.0242)
    assert not found["gibbs-appell-quasi"].applies and "quasi" in found["gibbs-appell-quasi"].reason
    assert [f.name for f in found.formulations] == list(zwang.formulations)
    assert "does not apply" in str(found) and repr(found) == "<zwang.Comparison: 10 formulations at 2 instants>"
    with pytest.raises(KeyError, match="there is no formulation 'newton'"):
        found["newton"]


def test_displacement():
    """A virtual displacement moves what is eliminated, R = (4/3, -5/3), and does the work nu_i.P = -23/15."""
    for moved in (
        zwang.Model(text=CONE).compare(0, eliminate="x", displacement={"y": 1}).frames[0].detail.partition.displacement,
        zwang.least(*cone(), eliminate=[0], displacement=[np.nan, 1, np.nan]).detail.partition.displacement,
        zwang.least(*cone(), eliminate=[0], displacement=[np.nan, 1, 0]).detail.partition.displacement,
    ):
        assert isinstance(moved, zwang.Displacement)
        assert moved.nu_i == pytest.approx([1, 0], abs=0) and moved.nu_e == pytest.approx([-4 / 3])
        assert moved.work == pytest.approx(-23 / 15)
    assert zwang.least(*cone(), detail=True).detail.partition.displacement is None


def test_forces_of_uk98_in_their_parts():
    """UK98 32: the force of the constraint is along (x', y', -z'), linear in b and in h."""
    g, al = 9.81, 0.5
    model = zwang.Model(zwang.examples()["uk98"])
    for frame in model.compare().frames:
        d, x, y, z = frame.detail, *frame.q
        s = np.array([1, 1, -1]) * frame.v
        bend = np.exp(-(z**2) / 50)
        rate = np.array([np.cos(x + frame.t), -np.sin(y) * bend, -z / 25 * np.cos(y) * bend]) @ frame.v
        b = al * (rate + np.cos(x + frame.t))
        assert d.b == pytest.approx([b]) and d.A == pytest.approx(s[None, :])
        assert d.Qc_b == pytest.approx(b * s / (s @ s)) and d.Qc_h == pytest.approx(-g * frame.v[2] * s / (s @ s))
        assert d.Qc == pytest.approx(d.Qc_b + d.Qc_h) and d.a == pytest.approx(d.a_b + d.a_h)
        assert d.lambda_ == pytest.approx(d.lambda_b + d.lambda_h) and d.a_b == pytest.approx(d.gain @ d.b)


def test_recursion_of_bg99():
    """BG99: a rod of length l; R_2 = m/l^2, lambda = m (g x2 - |v|^2)/l^2."""
    model = zwang.Model(zwang.examples()["bg99-pendulum"])
    m, g = 1.5, 9.81
    for l in (1.0, 2.0):
        start = {"x1": 0.6 * l, "x2": -0.8 * l}
        for frame in model.compare(params={"l": l}, start=start, to=0.5, tolerance=1e-11).frames:
            d, x, v2 = frame.detail, frame.q, frame.v @ frame.v
            assert d.bellman.R[2] == pytest.approx(np.array([[m / l**2]]))
            assert d.Qc_b == pytest.approx(-m * v2 / l**2 * x) and d.Qc_h == pytest.approx(m * g * x[1] / l**2 * x)
            assert d.a == pytest.approx((np.array([g * x[0] * x[1], -g * x[0] ** 2]) - v2 * x) / l**2, abs=1e-9)


def test_inverses_of_ones_own():
    """KU93 33: the answer depends on no choice that the kind allows."""
    random = np.random.default_rng(5)
    B = random.normal(size=(5, 5))
    M, h, A = B @ B.T + np.eye(5), random.normal(size=5), random.normal(size=(2, 5))
    A = np.vstack([A, A[0] + A[1]])
    b = A @ random.normal(size=5)
    a = zwang.least(M, h, A, b).a
    values, vectors = np.linalg.eigh(M)
    root = vectors @ np.diag(values**0.5) @ vectors.T
    D, C = A @ np.linalg.solve(M, A.T), A @ np.linalg.inv(root)
    A_own = general(A, random.normal(size=(5, 3)))
    H = root @ (np.eye(5) - A_own @ A)
    Hp = np.linalg.pinv(H)
    Cp = np.linalg.pinv(C)
    for kind, inverse, more in (
        ("inverse14", Cp + random.normal(size=(5, 3)) @ (np.eye(3) - C @ Cp), {}),
        ("inverse1", general(D, random.normal(size=(3, 3))), {}),
        ("A_inverse1", A_own, {}),
        ("H_inverse13", Hp + (np.eye(5) - Hp @ H) @ random.normal(size=(5, 5)), {"A_inverse": A_own}),
    ):
        found = zwang.least(M, h, A, b, inverse=inverse, kind=kind, evidence=True, **more)
        assert found.a == pytest.approx(a, rel=1e-8) and found.residual < 1e-9
        with pytest.raises(zwang.Error, match="inverse1.* = .* fails: it is off by") as caught:
            zwang.least(M, h, A, b, inverse=inverse + 0.1, kind=kind, **more)
        assert caught.value.status == "ZW_ERR_VALUE"


def general(A, Y):
    """A {1}-inverse of A"""
    P = np.linalg.pinv(A)
    return P + Y - P @ A @ Y @ A @ P


def test_a_symmetric_condition_is_named():
    M, h, A, b = cone()
    P = np.linalg.pinv(A / np.sqrt(MASS))
    wrong = P + np.outer([1.0, 0, 0], [0.5, 0.25])  # neither is C G C = C
    with pytest.raises(ValueError, match="C inverse14 C = C fails"):
        zwang.least(M, h, A, b, inverse=wrong, kind="inverse14")
    Z = np.eye(3) - P @ (A / np.sqrt(MASS))
    lopsided = P + Z @ np.array([[1.0, 2], [0, 1], [3, 0]])  # C G C = C, but (G C)^T is not G C
    with pytest.raises(ValueError, match=r"\(inverse14 C\)\^T = inverse14 C fails"):
        zwang.least(M, h, A, b, inverse=lopsided, kind="inverse14")


def test_solvers_with_details():
    """Rooms of one size serve smaller problems, and what they gave is the caller's."""
    M, h, A, b = cone()
    solver = zwang.Least(3, 4, detail=True)
    kept = solver(M, h, A, b, eliminate=[0], order=[0, 1, 2]).detail
    for m in (4, 1, 0):
        d = solver(M, h, np.vstack([A, A])[:m], np.zeros(m), possible=[1, np.nan, 0]).detail
        assert d.A.shape == (m, 3) and d.bellman.R[3].shape == (m, m) and d.possible.completed
        assert d.possible.residual == pytest.approx(np.zeros(m), abs=1e-12)
        assert solver(M, h, A, b).detail.possible is None
    del solver
    gc.collect()
    check_cone(kept)
    check_parts(kept)
    kept.a[0] = 7  # it belongs to nobody else


def test_singular_masses():
    d = zwang.least(np.diag([1.0, 0.0]), [1, 0], [[1, 1]], [0], detail=True).detail
    assert d.a0 is None and d.d is None and d.D is None and d.bellman is None and np.isnan(d.G)
    assert d.a == pytest.approx([1, -1]) and d.partition.K.shape == (1, 1)


def test_bellman_is_left_out_where_it_is_large():
    n, m = 120, 100
    M, h, A, b = np.eye(n), np.ones(n), np.eye(n)[:m], np.zeros(m)
    assert zwang.least(M, h, A, b, detail=True).detail.bellman is None
    assert len(zwang.least(M, h, A, b, order=range(m)).detail.bellman.R) == 21
    with pytest.raises(zwang.Error, match="more than a million"):
        zwang.Least(n, m, detail=True)(M, h, A, b, order=range(m))
    with pytest.raises(zwang.Error, match="a limit"):
        zwang.least(np.eye(1000), np.ones(1000), np.zeros((600, 1000)), np.zeros(600), order=[0])


MATRICES = cone()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"eliminate": [3]}, "no coordinate 3"),
        ({"eliminate": [-1]}, "no coordinate -1"),
        ({"eliminate": [0, 1]}, "2 coordinates are to be eliminated, and the rank is 1; name 1"),
        ({"eliminate": [0, 0]}, "twice"),
        ({"eliminate": []}, "names nothing"),
        ({"eliminate": "0"}, "counted from 0"),
        ({"eliminate": 0}, "counted from 0"),
        ({"order": [0.5]}, "has 0.5"),
        ({"order": [2**40]}, "no coordinate"),
        ({"possible": [1, 2]}, "possible must be 3, and is 2"),
        ({"possible": [1, 2, np.inf]}, "finite"),
        ({"displacement": [1, 2]}, "displacement must be 3, and is 2"),
        ({"displacement": [np.inf, 1, 0]}, "displacement must have finite"),
        ({"displacement": [1, 2, 3]}, "and the partition eliminates it: it follows from the others"),
        ({"possible": ["1", "2", "3"]}, "must be numbers"),
        ({"possible": {"x": 1}}, "must be numbers"),
        ({"inverse": np.ones((3, 2))}, "needs its kind"),
        ({"kind": "inverse14"}, "needs its kind"),
        ({"inverse": np.ones((3, 2)), "kind": "inverse2"}, "no inverse of the kind 'inverse2'"),
        ({"inverse": np.ones((3, 2)), "kind": 14}, "kind must be a text"),
        ({"inverse": np.ones((2, 3)), "kind": "inverse14"}, "must be 3 x 2, and is 2 x 3"),
        ({"inverse": np.ones((3, 2)), "kind": "inverse1"}, "must be 2 x 2, and is 3 x 2"),
        ({"inverse": np.full((3, 2), np.nan), "kind": "A_inverse1"}, "not finite"),
        ({"inverse": "text", "kind": "inverse14"}, "must be numbers"),
        ({"inverse": 1j * np.ones((3, 2)), "kind": "inverse14"}, "must be numbers"),
        ({"inverse": np.ones((3, 2)), "kind": "inverse14", "A_inverse": np.ones((3, 2))}, "is for an inverse of the kind"),
        ({"inverse": np.ones((3, 3)), "kind": "H_inverse13", "A_inverse": np.ones((2, 3))}, "A_inverse must be 3 x 2"),
    ],
    ids=repr,
)
def test_wrong_wishes_for_matrices(more, message):
    with pytest.raises((ValueError, TypeError), match=message):
        zwang.least(*MATRICES, **more)


def test_wishes_need_room():
    with pytest.raises(zwang.Error, match="detail=True"):
        zwang.Least(3, 2)(*MATRICES, eliminate=[0])


def test_dependent_columns_are_named():
    A = [[1.0, 2, 0], [0, 0, 1]]
    with pytest.raises(zwang.Error, match="column 2 on those before it; name another"):
        zwang.least(np.eye(3), np.ones(3), A, [0, 0], eliminate=[0, 1])
    with pytest.raises(zwang.Error, match="the constraints do not determine the acceleration of column 3: its column of A is 0; name another"):
        zwang.least(np.eye(3), np.ones(3), [[1.0, 2, 0]], [0], eliminate=[2])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"eliminate": "w"}, "'w' is no coordinate; the coordinates are x, y, z"),
        ({"eliminate": ["x", "x"]}, "twice"),
        ({"eliminate": ["x", "y"]}, "the rank is 1"),
        ({"eliminate": [0]}, "names of coordinates"),
        ({"eliminate": 0}, "names of coordinates"),
        ({"order": ()}, "names nothing"),
        ({"possible": {"x'": 1}}, "states accelerations"),
        ({"possible": {"x": 1, "x''": 1}}, "twice"),
        ({"possible": {"x": np.nan}}, "finite"),
        ({"possible": {"x": "1"}}, "must be numbers"),
        ({"possible": {"x": [1, 2]}}, "has 1 numbers, and is given 2"),
        ({"possible": {"w''": 1}}, "no coordinate"),
        ({"possible": {0: 1}}, "by name"),
        ({"possible": [1, 2, 3]}, "dictionary"),
        ({"displacement": {"x'": 1}}, "states displacements, as 'x'"),
        ({"displacement": {"x": np.nan}}, "finite"),
        ({"displacement": {"w": 1}}, "no coordinate"),
        ({"displacement": [1, 2, 3]}, "dictionary"),
        ({"displacement": {"x": 1}, "eliminate": "x"}, "a displacement of 'x' is stated, and the partition eliminates it"),
        ({"detail": False, "displacement": {"x": 1}}, "detail=False"),
        ({"times": [0, 9]}, "not within the run"),
        ({"times": []}, "one at least"),
        ({"times": "0"}, "must be numbers"),
        ({"times": [np.nan]}, "finite"),
        ({"times": [[0, 1]]}, "list of numbers"),
        ({"detail": False, "possible": {"x": 1}}, "detail=False"),
        ({"to": "1"}, "must be a number"),
        ({"tolerance": -1}, "must be positive"),
    ],
    ids=repr,
)
def test_wrong_wishes_for_models(more, message):
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        zwang.Model(text=CONE).compare(**more)
    assert not isinstance(caught.value, zwang.RunError)


def test_vectors_are_named_as_one():
    model = zwang.Model(text=CONE.replace("x = 0.3, y = 0.2, z", "P = (0.3, 0.2), z").replace("x'^2 + y'^2", "P'^2")
                        .replace("m*(1 - y)", "m*(1 - P.y)").replace("m*x", "m*P.x").replace("force x", "force P.x")
                        .replace("force y", "force P.y").replace("x' = 0.6, y' = 0.8", "P' = (0.6, 0.8)"))
    frame = model.compare(0, order=["P", "z"], eliminate="P.x", possible={"P''": (0, 1), "z": 0.8}).frames[0]
    check_parts(frame.detail)
    check_possible(frame.detail.possible)
    with pytest.raises(zwang.Error, match="has 2 numbers, and is given 1"):
        model.compare(possible={"P": 1})


def test_comparing_without_details():
    found = zwang.Model(text=CONE).compare(detail=False)
    assert len(found.frames) == 11 and all(f.detail is None and f.X_L is None and f.rows == [] for f in found.frames)
    assert zwang.Model(text="coord x = 1; kinetic 1/2*x'^2").compare().frames[0].detail.rank == 0


def test_choices_that_are_lost_on_the_way():
    """The rod is level where x2 = 0, and vertical where x1 = 0: there x1 cannot be eliminated."""
    model = zwang.Model(zwang.examples()["bg99-pendulum"])
    below = {"x1": 0, "x2": -1, "x1'": 0, "x2'": 0}
    with pytest.raises(zwang.Error, match="the constraints do not determine x1''"):
        model.compare(eliminate="x1", start=below)
    with pytest.raises(zwang.Error, match="'x1' cannot be eliminated"):
        model.run(formulation="gibbs-appell", eliminate="x1", start=below)
    with pytest.raises(zwang.RunError, match="'x1' cannot be eliminated") as caught:
        model.run(formulation="gibbs-appell", eliminate=["x1"])
    assert len(caught.value.result.t) > 50 and abs(caught.value.result["x1"][-1]) > 1e-9


def test_runs_that_eliminate():
    model = zwang.Model(text=CONE)
    plain = model.run(tolerance=1e-11)
    for choice in (None, "x", ["z"]):
        found = model.run(formulation="gibbs-appell", eliminate=choice, tolerance=1e-11)
        assert np.allclose(found.q, plain.q, atol=1e-9)
    assert len(model.run_many([{}, {}], formulation="gibbs-appell", eliminate="z")) == 2
    simulation = model.start(formulation="gibbs-appell", eliminate="z")
    assert simulation.to(0.5) == 0.5
    for wrong, message in (
        ({"eliminate": "z"}, 'formulation="gibbs-appell"'),
        ({"eliminate": "w", "formulation": "gibbs-appell"}, "no coordinate"),
        ({"eliminate": ["x", "y"], "formulation": "gibbs-appell"}, "2 accelerations cannot be eliminated"),
        ({"eliminate": 1, "formulation": "gibbs-appell"}, "names of coordinates"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            model.run(**wrong)


def test_derived_pages(zwang_program, tmp_path):
    path = tmp_path / "cone.zw"
    path.write_text(CONE)
    model = zwang.Model(path)
    for more, options in (
        ({}, []),
        ({"explicit": True}, ["--explicit"]),
        ({"partition": True}, ["--partition"]),
        ({"bellman": True}, ["--bellman"]),
        ({"eliminate": "z"}, ["--eliminate", "z"]),
        ({"order": ["y", "x"]}, ["--order", "y,x"]),
        ({"explicit": True, "partition": True, "bellman": True}, ["--all"]),
        ({"form": "latex", "explicit": True}, ["--latex", "--explicit"]),
    ):
        assert model.derive(**more) == zwang_program("derive", path, *options).stdout
    assert '"explicit"' in model.derive("json", explicit=True) and model.derive() == model.equations()
    for wrong, message in (
        ({"form": "word"}, "not as 'word'"),
        ({"eliminate": ["x", "y"]}, "2 named, but the constraints have rank 1"),
        ({"eliminate": "w"}, "no coordinate"),
        ({"order": ["x", "x"]}, "twice"),
    ):
        with pytest.raises(zwang.Error, match=message):
            model.derive(**wrong)
    line = zwang.Model(text="coord x, y, z; kinetic 1/2*(x'^2 + y'^2); constraint c: z = 1")
    with pytest.raises(zwang.Error, match="do not determine x'' beside"):
        line.derive(eliminate="x")


def test_callbacks_are_heard_while_comparing():
    model = zwang.Model(text=CONE)
    with pytest.raises(ZeroDivisionError):
        model.compare(force=lambda t, q, v: -v if t < 0.3 else 1 / 0)
    found = model.compare(force=lambda t, q, v: -v, times=0).frames[0]
    assert found.Q == pytest.approx(MASS * F - found.v)


def test_threads_compare_side_by_side():
    model = zwang.Model(text=CONE)
    expected = [f.detail.a.tolist() for f in model.compare().frames]
    shared, answers = zwang.Least(40, 30, detail=True), []
    A = np.eye(40)[:30]

    def work():
        answers.append([f.detail.a.tolist() for f in model.compare().frames])
        try:
            shared(np.eye(40), np.ones(40), A, np.zeros(30))
        except RuntimeError as error:
            assert "another thread" in str(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 4


def same(ours, told, path):
    """All that the program tells is there under its name."""
    if isinstance(told, dict):
        for name, value in told.items():
            if isinstance(ours, dict):
                part = ours[int(name)]
            else:
                part = getattr(ours, {"lambda": "lambda_"}.get(name, name))
            same(part, value, f"{path}.{name}")
    elif told is None:
        assert ours is None or np.isnan(ours).all(), path
    elif isinstance(told, bool):
        assert ours is told, path
    else:
        size = max(1, np.abs(np.asarray(told, dtype=float)).max(initial=0))
        assert np.shape(ours) == np.shape(told) or np.size(told) == np.size(ours) == 0, path
        assert np.ravel(ours) == pytest.approx(np.ravel(np.asarray(told, dtype=float)), rel=1e-9, abs=1e-9 * size), path


EXAMPLES = ["chaplygin-sleigh", "table-four-legs", "u96-cone", "l96-charge", "n-four-bar", "heavy-top", "slider-crank-parts"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_frames_are_those_of_the_program(name, examples, zwang_program):
    path = examples / f"{name}.zw"
    model = zwang.Model(path)
    first = model.coordinates[0]
    told = json.loads(zwang_program("compare", path, "--at", "0", "--json", "--possible", f"{first}''=1").stdout)
    found = model.compare(0, possible={first: 1})
    frame, d = told["frames"][0], found.frames[0].detail
    for key in ("t", "nu", "nu_rate", "B", "r", "c", "K", "p", "P", "S", "G_L_constant_part", "kinetic"):
        same(getattr(found.frames[0], key), frame.pop(key), key)
    assert found.frames[0].rows == frame.pop("rows")
    assert found.frames[0].is_stated == (frame.pop("quasi") == "stated")
    gibbs = frame.pop("gibbs")
    assert gibbs.pop("G_L_at_a") == gibbs["G_L"]
    same(found.frames[0], gibbs, "gibbs")
    same(d, frame, "frame")
    assert len(frame) >= 26 and {"partition", "possible"} <= set(frame)
    for one in told["formulations"]:
        assert one["applies"] == found[one["name"]].applies and one["reason"] == found[one["name"]].reason


def test_matrices_are_those_of_the_program(zwang_program, tmp_path):
    M, h, A, b = cone()
    problem = {"M": M.tolist(), "h": h.tolist(), "A": A.tolist(), "b": b.tolist()}
    (tmp_path / "p.json").write_text(json.dumps(problem))
    told = json.loads(zwang_program("least", "p.json", "--json").stdout)
    for name in ("zwang", "schema", "status", "formulation", "inverse", "residual", "optimality", "is_minimum", "answer"):
        told.pop(name)
    same(zwang.least(M, h, A, b, detail=True).detail, told, "least")
