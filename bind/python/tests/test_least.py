"""Gauss's principle on plain matrices, against the formulas of the papers in NumPy."""

import threading

import numpy as np
import pytest

import zwang

PLAIN = [name for name in zwang.formulations if name != "gibbs-appell-quasi"]


def problem(n, m, seed):
    random = np.random.default_rng(seed)
    B = random.normal(size=(n, n))
    return B @ B.T + n * np.eye(n), random.normal(size=n), random.normal(size=(m, n)), random.normal(size=m)


def udwadia_kalaba(M, h, A, b):
    """a = a0 + M^-1/2 (A M^-1/2)^+ (b - A a0)"""
    values, vectors = np.linalg.eigh(M)
    root = vectors @ np.diag(values**-0.5) @ vectors.T
    a0 = np.linalg.solve(M, h)
    return a0 + root @ np.linalg.pinv(A @ root) @ (b - A @ a0)


@pytest.mark.parametrize("formulation", PLAIN)
@pytest.mark.parametrize(("n", "m"), [(1, 0), (3, 2), (9, 8), (5, 5), (80, 30)])
def test_every_formulation(formulation, n, m):
    M, h, A, b = problem(n, m, 10 * n + m)
    found = zwang.least(M, h, A, b, formulation=formulation, evidence=True)
    assert found.a == pytest.approx(udwadia_kalaba(M, h, A, b), rel=1e-8, abs=1e-9)
    assert found.Qc == pytest.approx(M @ found.a - h, rel=1e-7, abs=1e-8)
    assert found.rank == m and found.is_minimum
    assert found.residual < 1e-10 and found.optimality < 1e-10
    deviation = found.a - np.linalg.solve(M, h)
    assert found.gaussian == pytest.approx(deviation @ M @ deviation / 2, rel=1e-8, abs=1e-12)


def test_rows_that_repeat_each_other():
    M, h, A, b = problem(4, 2, 1)
    twice = zwang.least(M, h, np.vstack([A, A]), np.concatenate([b, b]))
    once = zwang.least(M, h, A, b)
    assert twice.rank == 2 and twice.a == pytest.approx(once.a)
    assert twice.lambda_ == pytest.approx(np.concatenate([once.lambda_, once.lambda_]) / 2)
    assert once.residual < 1e-12
    assert np.isnan(zwang.least(M, h, A, b, evidence=False).residual)
    assert zwang.least(M, h, A, b, evidence=False, detail=True).residual < 1e-12


def test_stationary_points_are_no_minimum():
    found = zwang.least([[1, 0], [0, -1]], [1, 2], [[1, 0]], [1], detail=True)
    assert found.a == pytest.approx([1, -2]) and not found.is_minimum
    assert found.residual == 0 and found.optimality == 0 and found.gaussian == 0
    assert found.detail.a0 == pytest.approx([1, -2]) and found.detail.D.tolist() == [[1]]
    assert found.detail.G == 0 and found.detail.bellman is None


@pytest.mark.parametrize(
    ("problem", "status"),
    [
        (([[1.0]], [0.0], [[1.0], [1.0]], [0.0, 1.0]), "ZW_ERR_INCONSISTENT"),
        (([[1.0, 0.0], [0.0, 0.0]], [0.0, 0.0], [[1.0, 0.0]], [0.0]), "ZW_ERR_UNDETERMINED"),
        (([[1.0]], [np.nan], [[1.0]], [0.0]), "ZW_ERR_DOMAIN"),
    ],
)
def test_no_answer_has_a_reason(problem, status):
    with pytest.raises(zwang.Error) as caught:
        zwang.least(*problem)
    assert caught.value.status == status and len(str(caught.value)) > 10


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: zwang.least(np.eye(2), [1, 2, 3], [[1, 0, 0]], [0]), "M must be 3 x 3, and is 2 x 2"),
        (lambda: zwang.least(np.eye(2), [1, 2], [[1, 0, 0]], [0]), "A must be 1 x 2, and is 1 x 3"),
        (lambda: zwang.least(np.eye(2), 1.0, [[1, 0]], [0]), "h must be a list"),
        (lambda: zwang.least(np.eye(2), [1, 2], [[1, 0]], [0], "newton"), "there is no formulation 'newton'"),
        (lambda: zwang.least(np.eye(2), [1, 2], [[1, 0]], [0], "gibbs-appell-quasi"), "needs a model"),
        (lambda: zwang.Least(0, 1), "at least one coordinate"),
        (lambda: zwang.Least(2, 1)(np.eye(2), [1, 2], np.eye(2), [0, 0]), "up to 1 numbers"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises(zwang.Error, match=message):
        call()


def test_a_solver_is_used_again():
    solver = zwang.Least(9, 8, "lagrange")
    for seed in range(5):
        for m in (8, 3, 0):
            M, h, A, b = problem(9, m, seed)
            assert solver(M, h, A, b).a == pytest.approx(udwadia_kalaba(M, h, A, b))


def test_other_layouts_and_types():
    M, h, A, b = problem(4, 2, 7)
    a = zwang.least(M, h, A, b).a
    assert zwang.least(np.asfortranarray(M), list(h), np.asfortranarray(A), tuple(b)).a == pytest.approx(a, abs=0)
    whole = zwang.least(np.eye(2, dtype=int), [1, 2], np.array([[1, 1]], dtype=np.int8), [0])
    assert whole.a == pytest.approx([-0.5, 0.5])


def test_a_solver_belongs_to_one_thread():
    """Threads with solvers of their own get what one alone gets; two in one are refused, not mixed up."""
    M, h, A, b = problem(150, 100, 3)
    shared, alone = zwang.Least(150, 100), zwang.least(M, h, A, b).a
    answers, refusals = [], []

    def solve():
        own = zwang.Least(150, 100)
        for _ in range(5):
            answers.append(own(M, h, A, b).a)
            try:
                answers.append(shared(M, h, A, b).a)
            except RuntimeError as error:
                refusals.append(str(error))

    threads = [threading.Thread(target=solve) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) + len(refusals) == 40
    assert all(np.array_equal(a, alone) for a in answers)
    assert all("another thread" in text for text in refusals)
