"""What does not touch does not matter: a model beside another one, or beside a thousand coordinates at rest."""
from dataclasses import replace

from .. import language
from ..rewrite import rename_all
from .rewritten import Case, Rewriting, by_name

AT_REST = """
coord rest_raw[1..1000]
kinetic sum(k_raw in 1..1000: 1/2*rest_raw[k_raw]'^2)
"""
# Where quasi-velocities are stated they are all velocities that are free, those at rest too.
QUASI_AT_REST = """
for k_raw in 1..1000 { quasi rest_quasi_raw[k_raw] = rest_raw[k_raw]' }
"""
PREFIX = "other_"


class AtRest(Rewriting):
    """A thousand coordinates that stand still."""
    name = "company-at-rest"
    simple = ("timed-force", "kinked-spring")
    variants = ("",)

    def rewrite(self, model, variant):
        has_quasi = any(s.word == "quasi" for s in model.all_statements())
        text = AT_REST + QUASI_AT_REST if has_quasi else AT_REST
        return replace(model, statements=model.statements + language.parse(text))

    def options(self, model, variant):
        return ("--record", "all")

    def mapping(self, reference, table, variant):
        return by_name(reference, table)


class Beside(Rewriting):
    """Another example in the same file, before or after. A neighbour uses no library with other parameters, does not stop
    the run, starts at t = 0, and runs for at least as long as the model does."""
    name = "company"

    def cases(self, models, context):
        found = []
        for i, model in enumerate(models):
            others = [m for m in models[i + 1:] + models[:i] if self.suits(model, m)]
            found += [Case(self, model, (place, other)) for other in others[:1] for place in ("before", "after")]
        return found

    def label(self, variant):
        return f"{variant[0]} {variant[1].name}"

    def suits(self, model, other):
        words = {s.word for s in other.all_statements()}
        if words & {"use", "stop", "quasi"} or "t" in other.text().split("run")[-1]:
            return False
        end, begin = plain_number(other.run().right), plain_number(other.run().left)
        own_end, own_begin = plain_number(model.run().right), plain_number(model.run().left)
        if None in (end, begin, own_end, own_begin) or begin != own_begin or set(model.tables) & set(other.tables):
            return False
        if any(word in ("integrator", "step") for word, _ in other.run().options + model.run().options):
            return False
        return end >= own_end and not any(s.word == "quasi" for s in model.all_statements())

    def rewrite(self, model, variant):
        place, other = variant
        company = [s for s in rename_all(other, PREFIX).statements if s.word != "run"]
        head = [i for i, s in enumerate(model.statements) if s.word == "use"]
        split = head[-1] + 1 if head else 0
        own = model.statements
        together = own[:split] + company + own[split:] if place == "before" else own + company
        return replace(model, statements=together, tables={**other.tables, **model.tables})

    def options(self, model, variant):
        return ("--record", "all")

    def mapping(self, reference, table, variant):
        return by_name(reference, table)


def plain_number(e):
    return float(e.text) if e.op == "num" else None


RELATIONS = [AtRest(), Beside()]
