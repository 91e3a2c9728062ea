"""Nothing is left behind."""

import gc
import resource
import weakref

import numpy as np
import pytest

import zwang

TEXT = "param N = 20\ncoord x[1..N] = 1\nfor i in 1..N {\n  kinetic 1/2*x[i]'^2\n  potential 1/2*x[i]^2\n}\nrun 0 .. 1\n"


def resident():
    """Bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def run_and_look():
    result = zwang.Model(text=TEXT).run(force=lambda t, q, v: -q, every=0.001)
    assert result["x"].shape == (1001, 20)


def fail_to_compile():
    with pytest.raises(zwang.Error):
        zwang.Model(text=TEXT + "kinetic w\n" * 100)


def fail_to_run():
    with pytest.raises(ZeroDivisionError):
        zwang.Model(text=TEXT).run(force=lambda t, q, v: -q if t < 0.5 else 1 / 0)


def step():
    simulation = zwang.Model(text=TEXT).start(record=True)
    for t in np.linspace(0.01, 1, 20):
        simulation.to(t)
        simulation.evaluate(slopes=True)
    simulation.result()


def solve():
    for _ in range(20):
        zwang.least(np.eye(100), np.ones(100), np.eye(100)[:50], np.zeros(50))


def linearize():
    model = zwang.Model(text=TEXT.replace("run 0 .. 1", "param u = 0\nforce x[1] = u"))
    found = model.linearize(inputs="u", outputs="x")
    assert found.C.shape == (20, 40)
    with pytest.raises(zwang.Error):
        model.linearize(inputs="w")


def find_forces():
    t = np.linspace(0, 1, 201)
    model = zwang.Model(text=TEXT)
    found = model.forces({"t": t, "x": np.outer(np.cos(t), np.ones(20))}, every=0.005)
    assert abs(found.force["x[3]"]).max() < 1e-6 and found.missing["x[20]"].shape == (201,)
    for wrong in ({"by": "w"}, {"by": ["x[1]\0"]}):
        with pytest.raises(ValueError):
            model.forces({"t": t, "x": np.ones((201, 20))}, **wrong)


def differentiate():
    model = zwang.Model(text=TEXT)
    assert len(model.gradient("x[1]", every=0.001)) == 20
    for of, by in (("x[1]", "w"), ("x[1]", "start.x\0")):
        with pytest.raises(ValueError):
            model.gradient(of, by=by)


def solve_with_details():
    M, h, A, b = np.eye(30), np.ones(30), np.eye(30)[:20], np.zeros(20)
    for _ in range(10):
        assert zwang.least(M, h, A, b, detail=True, possible=h).detail.bellman.R[30].shape == (20, 20)
        with pytest.raises(zwang.Error):
            zwang.least(M, h, A, b, eliminate=[29])
        with pytest.raises(zwang.Error):
            zwang.least(M, h, A, b, inverse=np.ones((30, 20)), kind="inverse14")


def compare():
    model = zwang.Model(text=TEXT.replace("run", "constraint c: sum(i in 1..N: x[i]) = N\nrun"))
    found = model.compare(possible={"x": np.ones(20)}, eliminate="x[3]")
    assert found.frames[10].detail.partition.K.shape == (19, 19)
    with pytest.raises(zwang.Error):
        model.compare(eliminate=["x[1]", "x[2]"])
    with pytest.raises(ZeroDivisionError):
        model.compare(force=lambda t, q, v: -q if t < 0.5 else 1 / 0)
    assert len(model.derive(partition=True)) > 100
    with pytest.raises(zwang.Error):
        model.derive(eliminate="x")


@pytest.mark.parametrize(
    "work",
    [run_and_look, fail_to_compile, fail_to_run, step, solve, linearize, find_forces, differentiate, solve_with_details, compare],
)
def test_memory_stays_where_it_is(work):
    for _ in range(10):
        work()
    gc.collect()
    before = resident()
    for _ in range(60):
        work()
    gc.collect()
    # a single table that is lost every time would be 60 * 330 kB
    assert resident() - before < 6e6


class Owner:
    """Has a simulation whose force knows its owner: a cycle that goes through the extension."""

    def __init__(self):
        self.simulation = zwang.Model(text=TEXT).start(force=self.force)
        self.simulation._options.clear()
        self.simulation.to(0.1)

    def force(self, t, q, v):
        return -q


def test_cycles_are_found():
    gone = weakref.ref(Owner())
    assert gone() is not None
    gc.collect()
    assert gone() is None


def test_references_are_counted():
    import sys

    model = zwang.Model(text=TEXT)
    force = lambda t, q, v: -q  # noqa: E731

    def count():
        gc.collect()
        return sys.getrefcount(model._compiled), sys.getrefcount(force), sys.getrefcount(None) // 1000

    model.run(force=force)
    before = count()
    for _ in range(2000):
        simulation = model.start(force=force)
        simulation.read()
    del simulation
    assert count() == before


def test_references_of_wishes_are_counted():
    import sys

    model = zwang.Model(text=TEXT.replace("N = 20", "N = 2"))
    times, stated, places, wrong = np.zeros(1), np.zeros(2), (1000,), (10**6, "x")
    moved, short = np.full(2, np.nan), np.zeros(1)
    numbers = [np.eye(2), np.zeros(2), np.eye(2), np.zeros(2), np.empty(2), np.empty(2), np.empty(2)]
    solver = zwang.Least(2, 2, detail=True)._solver

    def ask():
        run = model.start()._run
        assert run.compare(times, 1, 15, None, None, stated, moved)[2]
        assert run.compare(times, 1, 15, None, None, stated, moved)[2] is None  # it is spent
        assert model.start()._run.compare(None, 0, 15, places, None, stated, None)[2] is None
        for bad in (
            (times, 2, 0, None, None, None, None),
            (None, 0, 0, wrong, None, None, moved),
            (None, 0, 0, None, wrong, stated, None),
            (None, 0, 0, None, None, stated, short),
        ):
            with pytest.raises((TypeError, ValueError)):
                model.start()._run.compare(*bad)
        assert solver.solve(2, False, *numbers, 0, None, None, 15, None, None, stated, moved)[0] == "ZW_OK"
        assert solver.solve(2, False, *numbers, 0, None, None, 15, places, None, stated, None)[0] == "ZW_ERR_ARGUMENT"
        for bad in (
            (9, None, None, 0, None, None, None, None),
            (1, times, None, 0, None, None, None, None),
            (0, None, None, 1, wrong, None, None, None),
            (0, None, None, 1, None, None, stated, short),
        ):
            with pytest.raises((TypeError, ValueError)):
                solver.solve(2, False, *numbers, *bad)
        assert model._compiled.derive(0, 7, None, None)[0] == "ZW_OK"
        assert model._compiled.derive(0, 2, places, None)[2] is None
        with pytest.raises((TypeError, ValueError)):
            model._compiled.derive(0, 2, None, wrong)

    def count():
        gc.collect()
        return [sys.getrefcount(thing) for thing in (model._compiled, times, stated, moved, short, places, wrong, solver, *numbers)]

    ask()
    before = count()
    for _ in range(100):
        ask()
    assert count() == before


def test_references_of_motions_are_counted():
    import sys

    table, names = np.stack([np.arange(9.0), np.arange(9.0) ** 2]), ("x[1]", "nobody")
    run = zwang.Model(text=TEXT.replace("N = 20", "N = 1")).start()._run

    def ask():
        assert run.forces(table, 9, names[:1], names[:1], 0.0, 0.0, 0.0)
        for wrong in ((table, 99, names[:1]), (table, -1, names[:1]), (table, 6, (names[0], 3))):
            with pytest.raises((TypeError, ValueError)):
                run.forces(*wrong, (), 0.0, 0.0, 0.0)
        assert run.gradient(names[0]) is None  # of a run without one

    def count():
        gc.collect()
        return sys.getrefcount(table), sys.getrefcount(names[0]), sys.getrefcount(names), sys.getrefcount(run)

    ask()
    before = count()
    for _ in range(100):
        ask()
    assert count() == before
