"""The smallest model on which a relation is still broken: statements are left out as long as it stays so."""
from dataclasses import replace

TRIES = 150                         # runs of the relation in all; enough for the models of examples/


def smallest(model, is_broken):
    """Leaves out statement by statement, those inside of blocks too, until each one that is left is needed."""
    tries = 0
    changed = True
    while changed:
        changed = False
        for candidate in shorter(model):
            if tries >= TRIES:
                return model
            tries += 1
            if is_broken(candidate):
                model, changed = candidate, True
                break
    return model


def shorter(model):
    """All models with one statement less, from the last one on; then with one item of a list less."""
    for statements in one_less(model.statements):
        yield replace(model, statements=statements)


def one_less(statements):
    for i in reversed(range(len(statements))):
        s = statements[i]
        if s.word != "run":
            yield statements[:i] + statements[i + 1:]
    for i, s in enumerate(statements):
        if s.word in ("param", "output", "start", "let", "coord", "contact") and len(s.items or s.options) > 1 - (s.word == "contact"):
            for fewer in fewer_items(s):
                yield statements[:i] + [fewer] + statements[i + 1:]
        if s.word in ("for", "if") and s.block:
            for block in one_less(s.block):
                if block:
                    yield statements[:i] + [replace(s, block=block)] + statements[i + 1:]


def fewer_items(s):
    if s.word == "contact":
        return [replace(s, options=s.options[:i] + s.options[i + 1:]) for i in range(len(s.options))]
    return [replace(s, items=s.items[:i] + s.items[i + 1:]) for i in range(len(s.items))]
