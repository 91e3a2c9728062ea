"""Models: what they tell, and what is said about wrong ones."""

import pickle
import threading

import numpy as np
import pytest

import zwang

HEIGHT = "param g = 9.81\ncoord h = 1\nkinetic 1/2*h'^2\npotential g*h\noutput speed = h'\nrun 0 .. 1\n"


def test_what_it_tells():
    model = zwang.Model(text=HEIGHT)
    assert model.coordinates == ("h",)
    assert model.outputs == ("speed",)
    assert model.columns == ("t", "h", "h'", "speed")
    assert dict(model.parameters) == {"g": 9.81}
    assert model.contacts == () and model.name == "model"
    assert model.kernel in ("native", "interpret")
    assert repr(model) == "<zwang.Model 'model': 1 coordinate, 1 output>"


def test_file_and_text_are_the_same(tmp_path):
    path = tmp_path / "fall.zw"
    path.write_text(HEIGHT)
    assert np.array_equal(zwang.Model(path).run().rows, zwang.Model(text=HEIGHT).run().rows)
    assert np.array_equal(zwang.Model(str(path)).run().rows, zwang.Model(text=HEIGHT).run().rows)


def test_file_or_text():
    with pytest.raises(TypeError, match="of a file"):
        zwang.Model()
    with pytest.raises(TypeError, match="of a file"):
        zwang.Model("a.zw", text=HEIGHT)
    with pytest.raises(FileNotFoundError):
        zwang.Model("there-is-none.zw")


@pytest.mark.parametrize("value", [3, 3.0, np.float64(3), np.int32(3), "1 + 2"])
def test_params(value):
    model = zwang.Model(text=HEIGHT, params={"g": value})
    assert model.parameters["g"] == 3
    assert model.run()["h"][-1] == pytest.approx(1 - 1.5)


def test_params_that_are_vectors():
    text = "param g = (0, -9.81)\ncoord P\nkinetic 1/2*P'^2\nforce P = g\nrun 0 .. 1".replace("coord P", "coord P = (0, 0)")
    assert zwang.Model(text=text, params={"g": (1, 2)}).run()["P"][-1] == pytest.approx([0.5, 1])
    assert zwang.Model(text=text).run(params={"g": np.array([1, 2])})["P"][-1] == pytest.approx([0.5, 1])


@pytest.mark.parametrize(
    "text",
    [
        "coord x\nkinetic 1/2*y'^2\nrun 0 .. 1\n",
        "coord x\n\tkinetic 1/2*x'^2 +\nrun 0 .. 1\n",
        "coord a\u0301b = 1\nkinetic 1/2*a\u0301b'^2 + w\nforce z = 1\n",
        "coord x\nkinetic 1/2*x'^2 + " + " + ".join(f"0*x*{i}" for i in range(80)) + " + wrong + " + "1 + " * 90 + "1\n",
        "coord x = 0, x = 1\n" * 3,
    ],
)
def test_errors_are_those_of_the_program(zwang_program, tmp_path, text):
    (tmp_path / "wrong.zw").write_text(text, encoding="utf-8")
    done = zwang_program("check", "wrong.zw", "--quiet")
    assert done.returncode == 2
    with pytest.raises(zwang.Error) as caught:
        zwang.Model(text=text, name="wrong.zw")
    assert str(caught.value) == done.stderr.rstrip("\n")
    first = caught.value.diagnostics[0]
    assert first.file == "wrong.zw" and first.line >= 1 and first.column >= 1 and first.text
    assert caught.value.status == first.code != "ZW_OK"


def test_errors_can_be_pickled():
    with pytest.raises(ValueError) as caught:
        zwang.Model(text="coord x\nkinetic y'^2")
    back = pickle.loads(pickle.dumps(caught.value))
    assert str(back) == str(caught.value) and back.diagnostics == caught.value.diagnostics


def test_notes(tmp_path):
    model = zwang.Model(text="param unused = 1\n" + HEIGHT)
    assert not any(note.is_error for note in model.diagnostics)
    assert "unused" in model.diagnostics[0].text and "note: " in str(model.diagnostics[0])
    assert model.diagnostics[0] in model.run().diagnostics


def test_remedies_speak_python():
    with pytest.raises(zwang.Error, match=r"t_end=10 to run\(\)"):
        zwang.Model(text="coord x\nkinetic x'^2").run()
    with pytest.raises(zwang.Error, match=r"Model\(\.\.\., params=\.\.\.\)"):
        zwang.Model(text="param N = 2\ncoord x[1..N]\nfor i in 1..N { kinetic x[i]'^2 }\nrun 0..1").run(params={"N": 3})


def test_files_that_a_model_uses(tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "part.zw").write_text("param k = 2\n")
    (tmp_path / "inside" / "part.zw").write_text("param k = 3\n")
    (tmp_path / "inside" / "link.zw").symlink_to(tmp_path / "part.zw")
    rest = "coord x = 1\nkinetic 1/2*x'^2\npotential 1/2*k*x^2\nrun 0 .. 1\n"
    path = tmp_path / "inside" / "model.zw"
    path.write_text('use "part.zw"\n' + rest)
    assert zwang.Model(path).run()["x"][-1] == pytest.approx(np.cos(np.sqrt(3)))
    path.write_text('use "./part.zw"\n' + rest)
    assert zwang.Model(path).run()["x"][-1] == pytest.approx(np.cos(np.sqrt(3)))
    for name in ["../part.zw", "link.zw", str(tmp_path / "part.zw")]:
        path.write_text(f'use "{name}"\n' + rest)
        with pytest.raises(zwang.Error, match=r"allow_path=DIR"):
            zwang.Model(path)
        assert zwang.Model(path, allow_path=tmp_path).run()["x"][-1] == pytest.approx(np.cos(np.sqrt(2)))
    path.write_text('use "missing.zw"\n' + rest)
    with pytest.raises(zwang.Error, match="missing.zw"):
        zwang.Model(path)
    (tmp_path / "own.zw").write_text("param k = 4\n")
    path.write_text("use own\n" + rest)
    assert zwang.Model(path, lib=tmp_path).run()["x"][-1] == pytest.approx(np.cos(2))
    with pytest.raises(zwang.Error, match="own"):
        zwang.Model(path)


def test_equations_are_those_of_the_program(zwang_program, examples):
    path = examples / "pendulum.zw"
    model = zwang.Model(path)
    assert model.equations() == zwang_program("derive", path).stdout
    assert "\\" in model.equations("latex")
    assert model.equations("json").startswith("{")
    with pytest.raises(zwang.Error, match="'word'"):
        model.equations("word")


def test_plots():
    model = zwang.Model(text=HEIGHT + "output double = 2*h\nplot h, double\nplot double against h\n")
    assert model.plots[0].columns == ["h", "double"] and model.plots[0].against == "t"
    assert model.plots[1].columns == ["double"] and model.plots[1].against == "h"


def test_limits_and_kernels():
    with pytest.raises(zwang.Error) as caught:
        zwang.Model(text=HEIGHT, memory=1000)
    assert caught.value.status == "ZW_ERR_LIMIT"
    with pytest.raises(zwang.Error, match="there is no kernel 'fast'"):
        zwang.Model(text=HEIGHT, kernel="fast")
    interpreted = zwang.Model(text=HEIGHT, kernel="interpret")
    assert interpreted.kernel == "interpret"
    assert np.array_equal(interpreted.run().rows, zwang.Model(text=HEIGHT).run().rows)


def test_a_pickled_model_runs_alike():
    model = zwang.Model(text=HEIGHT, params={"g": 5}, name="fall")
    back = pickle.loads(pickle.dumps(model))
    assert back.name == "fall" and np.array_equal(back.run().rows, model.run().rows)


def test_threads_share_a_model():
    model = zwang.Model(zwang.examples()["double-pendulum"])
    alone = model.run(t_end=2).rows
    results = [None] * 8

    def run(i):
        results[i] = model.run(t_end=2).rows

    threads = [threading.Thread(target=run, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(rows, alone) for rows in results)


def test_examples():
    assert len(zwang.examples()) > 50
    for path in zwang.examples().values():
        assert zwang.Model(path).coordinates
