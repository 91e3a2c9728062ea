"""What all relations share that rewrite a model and compare two motions."""
from dataclasses import dataclass, replace

from .. import compare
from ..language import number


@dataclass
class Case:
    """One thing to be checked: a relation, on a model, in one of its variants."""
    relation: object
    model: object
    variant: object

    def title(self):
        model = self.model.name if self.model is not None else ""
        return " ".join(f"{self.relation.name} {model} {self.relation.label(self.variant)}".split())


class Rewriting:
    """A relation between a model and a rewritten one. Subclasses say how to rewrite, and how columns correspond."""
    name = ""
    variants = ()
    shrinks = True

    def cases(self, models, context):
        return [Case(self, model, variant) for model in models for variant in self.variants if self.applies(model, variant)]

    def label(self, variant):
        return f"{variant:g}" if isinstance(variant, float) else str(variant)

    def applies(self, model, variant):
        """Whether the rewriting changes anything that could matter."""
        return True

    def base(self, model, variant):
        """The model that the rewritten one is compared with."""
        return model

    def rewrite(self, model, variant):
        raise NotImplementedError

    def options(self, model, variant):
        """More options of the rewritten model's run."""
        return ()

    def mapping(self, reference, table, variant):
        """By default all columns correspond by their places."""
        return [(i, 1.0) for i in range(len(reference.table.columns))]

    def check(self, case, context):
        """None if the relation holds, else a sentence that says how it is broken."""
        return self.compare(case.model, case.variant, context)

    def compare(self, model, variant, context):
        base = self.base(model, variant)
        reference = context.reference(base)
        if isinstance(reference, str):
            return f"cannot be compared: the model itself {reference}"
        rewritten = self.rewrite(base, variant)
        answer = context.program.run(rewritten, self.options(model, variant), stem="variant")
        if answer.status != 0:
            return answer.refused()
        mapping = self.mapping(reference, answer.table, variant)
        if isinstance(mapping, str):
            return mapping
        return compare.difference(reference, answer.table, mapping)

    def smaller(self, model, statements):
        """The same relation's model with fewer statements, for the search of the smallest one."""
        return replace(model, statements=statements)


def by_name(reference, table, new_name=lambda column: column):
    """Columns that correspond by their names; a sentence if one is missing."""
    places = {column: i for i, column in enumerate(table.columns)}
    found = []
    for column in reference.table.columns:
        if new_name(column) not in places:
            return f"has no column {new_name(column)}"
        found.append((places[new_name(column)], 1.0))
    return found


def with_run(model, options):
    """The model with other options of its `run`: {"every": 0.1, ...}."""
    def changed(s):
        kept = [(word, value) for word, value in s.options if word not in options]
        return replace(s, options=kept + [(word, number(value)) for word, value in options.items()])
    return replace(model, statements=[changed(s) if s.word == "run" else s for s in model.statements])
