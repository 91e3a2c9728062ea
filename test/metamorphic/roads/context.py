"""What the checks of one walk share: the program, the models, and what is known of each motion."""
import glob
import os
import threading

from . import compare, model

SMALLEST_TOLERANCE = 1e-13
HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Context:
    def __init__(self, program, root):
        self.program = program
        self.root = root
        self.references = {}
        self.lock = threading.Lock()

    def models(self):
        """Every example, and the models beside this program."""
        paths = sorted(glob.glob(os.path.join(self.root, "examples", "*.zw"))) + sorted(glob.glob(os.path.join(HERE, "models", "*.zw")))
        return [self.read(path) for path in paths]

    def read(self, path):
        return model.read(path, os.path.join(self.root, "lib"))

    def reference(self, wanted, options=()):
        """What is known of a model's motion (`compare.Reference`), or a sentence that says why nothing is."""
        key = (wanted.text(), tuple(options))
        with self.lock:
            place = self.references.setdefault(key, [threading.Lock(), None])
        with place[0]:
            if place[1] is None:
                place[1] = self.find_reference(wanted, options)
        return place[1]

    def find_reference(self, wanted, options):
        coarse = self.program.run(wanted, options)
        if coarse.status != 0:
            return f"fails with {coarse.refused()}"
        tolerance = coarse.summary["tolerance"]
        finer = max(tolerance/100, SMALLEST_TOLERANCE)
        fine = self.program.run(wanted, [*options, "--tolerance", repr(finer)])
        if fine.status != 0:
            return f"fails at a hundredth of its tolerance with {fine.refused()}"
        found = compare.reference_of(coarse.table, fine.table, coarse.summary["n"], tolerance)
        if found.rows_known() < 2:
            return "is not known beyond its start: two tolerances disagree"
        return found
