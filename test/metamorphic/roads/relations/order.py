"""The order of statements, and the names of coordinates."""
from ..rewrite import RAW, reorder_lists, scale_coordinates, shuffle
from .rewritten import Rewriting, by_name


class Shuffled(Rewriting):
    """Statements in another order, as far as names are still declared before they are used."""
    name = "order"
    variants = (1, 2)

    def rewrite(self, model, variant):
        return reorder_lists(shuffle(model, variant), variant)

    def mapping(self, reference, table, variant):
        return by_name(reference, table)


class Renamed(Rewriting):
    """Coordinates by other names."""
    name = "names"
    variants = ("",)

    def rewrite(self, model, variant):
        return scale_coordinates(model, 1.0)


RELATIONS = [Shuffled(), Renamed()]
