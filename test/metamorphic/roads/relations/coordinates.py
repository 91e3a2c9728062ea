"""Coordinates in other units: the unit of a coordinate is the user's choice, the motion is not."""
from ..rewrite import RAW, coordinate_names, scale_coordinates
from .rewritten import Rewriting

FACTORS = (1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9)


class AllCoordinates(Rewriting):
    """All coordinates in a new unit."""
    name = "coordinates"
    variants = FACTORS

    def rewrite(self, model, variant):
        return scale_coordinates(model, variant)

    def mapping(self, reference, table, variant):
        return [(i, variant if RAW in column else 1.0) for i, column in enumerate(table.columns)]


class SomeCoordinates(AllCoordinates):
    """Every second declaration only, so that units differ inside one model."""
    name = "mixed-coordinates"

    def applies(self, model, variant):
        return len(coordinate_names(model)) > 1

    def rewrite(self, model, variant):
        return scale_coordinates(model, variant, coordinate_names(model)[1::2])


RELATIONS = [AllCoordinates(), SomeCoordinates()]
