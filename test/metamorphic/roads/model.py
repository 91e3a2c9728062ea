"""A model with all the text that belongs to it: its own statements, the libraries it uses and the tables it reads."""
import os
import shutil
from dataclasses import dataclass, field, replace

from . import language
from .language import E, PICTURES, Statement, name, text_of

STANDARD = ("common", "planar", "spatial")


@dataclass
class Model:
    name: str
    statements: list
    libraries: dict = field(default_factory=dict)    # file name -> statements
    tables: dict = field(default_factory=dict)       # file name -> path of the original
    origin: str = ""

    def write(self, folder, stem):
        """Writes everything into `folder`; returns the path of the model and the options that find its libraries."""
        os.makedirs(os.path.join(folder, "lib"), exist_ok=True)
        for file, statements in self.libraries.items():
            place = os.path.join(folder, "lib" if file[:-3] in STANDARD else "", file)
            with open(place, "w", encoding="utf-8") as out:
                out.write(text_of(statements))
        for file, path in self.tables.items():
            shutil.copyfile(path, os.path.join(folder, file))
        path = os.path.join(folder, stem + ".zw")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text_of(self.statements))
        return path, ["--lib", os.path.join(folder, "lib")]

    def map(self, rewrite):
        """The same model with every statement, also those of libraries, replaced by the list rewrite(statement)."""
        return replace(self, statements=map_statements(self.statements, rewrite),
                       libraries={file: map_statements(found, rewrite) for file, found in self.libraries.items()})

    def all_statements(self):
        """Every statement, also inside blocks and libraries."""
        for statements in [*self.libraries.values(), self.statements]:
            yield from inside(statements)

    def run(self):
        """The statement `run`, or None."""
        return next((s for s in self.statements if s.word == "run"), None)

    def text(self):
        return text_of(self.statements)


def inside(statements):
    for s in statements:
        yield s
        yield from inside(s.block)
        yield from inside(s.other or [])


def map_statements(statements, rewrite):
    """Replaces statement by statement; blocks first, so that `rewrite` sees them done."""
    found = []
    for s in statements:
        if s.block or s.other:
            s = replace(s, block=map_statements(s.block, rewrite),
                        other=None if s.other is None else map_statements(s.other, rewrite))
        found += rewrite(s)
    return found


def map_expression(e, f):
    """Bottom-up: f(node) of every node, its operands being done."""
    return f(E(e.op, [map_expression(kid, f) for kid in e.kids], e.text)) if e is not None else None


def map_values(s, f):
    """The statement with f(expression) for every expression that has a value. Targets of let, start, when, output, part
    and the names of arguments stay: what they mean differs from word to word."""
    if s.word in ("param", "coord", "memory"):
        items = [replace(d, init=mapped(d.init, f), scale=mapped(d.scale, f),
                         ranges=[(f(lo), f(hi)) for lo, hi in d.ranges]) for d in s.items]
    elif s.word == "for":
        items = [(E("iter", [f(kid) for kid in e.kids], e.text), None) for e, _ in s.items]
    elif s.word == "start" and s.exactly:
        items = [(f(t), f(v)) for t, v in s.items]
    else:
        items = [(t, mapped(v, f)) for t, v in s.items]
    return replace(s, items=items, value=mapped(s.value, f), target=mapped(s.target, f), left=mapped(s.left, f),
                   right=mapped(s.right, f), condition=mapped(s.condition, f),
                   options=[(word, f(v) if word != "integrator" else v) for word, v in s.options])


def mapped(e, f):
    return None if e is None else f(e)


def expressions(s):
    """All expressions of a statement without its blocks, targets included."""
    found = [s.value, s.target, s.left, s.right, s.condition, s.label]
    if s.word in ("param", "coord", "memory"):
        for d in s.items:
            found += [d.init, d.scale] + [bound for pair in d.ranges for bound in pair]
    else:
        for target, value in s.items:
            found += [target, value]
    found += [value for _, value in s.options]
    return [e for e in found if e is not None]


def nodes(e):
    yield e
    for kid in e.kids:
        yield from nodes(kid)


def read(path, library_folder):
    """The model in `path`, without its pictures, and with a name for every output."""
    stem = os.path.basename(path)[:-3]
    with open(path, encoding="utf-8") as file:
        model = Model(stem, plain(language.parse(file.read())), origin=path)
    add_used(model, model.statements, os.path.dirname(path), library_folder)
    for s in model.all_statements():
        for e in expressions(s):
            for node in nodes(e):
                if node.op == "call" and node.kids[0].text == "table":
                    file = node.kids[1].kids[0].text.strip('"')
                    model.tables[file] = os.path.join(os.path.dirname(path), file)
    return model


def add_used(model, statements, folder, library_folder):
    for s in statements:
        if s.word != "use":
            continue
        is_file = s.name.startswith('"')
        file = s.name.strip('"') if is_file else s.name + ".zw"
        if file in model.libraries:
            continue
        with open(os.path.join(folder if is_file else library_folder, file), encoding="utf-8") as text:
            model.libraries[file] = plain(language.parse(text.read()))
        add_used(model, model.libraries[file], folder, library_folder)


def plain(statements):
    """Without pictures and claims; `output x''` gets a name, so that rewritten models have the same columns."""
    counter = iter(range(1, 10**6))

    def rewrite(s):
        if s.word in PICTURES:
            return []
        if s.word == "output":
            return [replace(s, items=[(t, v) if v is not None else (name(f"seen{next(counter)}"), t) for t, v in s.items])]
        return [s]

    return map_statements(statements, rewrite)
