"""Energies, forces and rows multiplied by a number: the motion does not know in which unit they were stated."""
from ..language import ENERGIES
from ..rewrite import scale_energies, scale_rows
from .rewritten import Rewriting

FACTORS = (1e-12, 1e-6, 1e6, 1e12)


class Energies(Rewriting):
    """All energies and forces; reactions are read in the old unit."""
    name = "energies"
    variants = FACTORS

    def rewrite(self, model, variant):
        return scale_energies(model, variant)


class Rows(Rewriting):
    """All constraints and contacts."""
    name = "rows"
    variants = FACTORS

    def applies(self, model, variant):
        return any(s.word in ("constraint", "contact") for s in model.all_statements())

    def rewrite(self, model, variant):
        return scale_rows(model, variant)


class SomeRows(Rows):
    """Every second one only. Where rows are redundant their smallest reactions depend on how each is written, and so these
    models are left out where an output reads a reaction."""
    name = "mixed-rows"
    simple = ("rolling-wheelset", "redundant-frame")

    def applies(self, model, variant):
        rows = [s for s in model.all_statements() if s.word in ("constraint", "contact")]
        return len(rows) > 1 and not reads_reactions(model)

    def rewrite(self, model, variant):
        return scale_rows(model, variant, every=2)


def reads_reactions(model):
    return "reaction(" in model.text()


RELATIONS = [Energies(), Rows(), SomeRows()]
