"""States of rest against the motion: what starts there stays, and small motions about it are those of the modes."""
import cmath
from dataclasses import replace

from ..language import Statement, name, number
from .rewritten import Case

STAYS = 1e-6
GROWTH = 3.0                        # an unstable state is watched for as long as disturbances grow by e^GROWTH
SMALL = 1e-4                        # of the size of the motion: the amplitude of a mode
AGREE = 1e-4


class AtRest:
    """The motion that starts at an equilibrium stays there."""
    name = "equilibrium"
    simple = ("elastic-pendulum",)
    shrinks = True

    def cases(self, models, context):
        return [Case(self, model, None) for model in models]

    def label(self, variant):
        return ""

    def check(self, case, context):
        found = context.program.ask("linearize", case.model, ["--equilibrium"], stem="variant")
        if found.status != 0:
            return None if found.status == 1 or found.summary.get("errors") else found.refused()
        state = found.summary
        return self.check_state(case.model, state, context)

    def check_state(self, model, state, context):
        if any(state["v"].values()):
            return "an equilibrium that moves: " + ", ".join(f"{c}' = {v}" for c, v in state["v"].items() if v)
        fastest = max((e["re"] for e in state["eigenvalues"]), default=0)
        sizes = sizes_of(model, state, context)
        answer = context.program.run(started(model, state["q"], state["v"]), time_options(model, fastest, state, context), stem="variant")
        if answer.status != 0:
            return f"the motion from there fails: {answer.refused()}"
        table = answer.table
        for column, value in state["q"].items():
            if column not in table.columns:
                continue
            i = table.columns.index(column)
            for row in table.rows:
                if abs(row[i] - value) > STAYS*sizes[column]:
                    return f"{column} = {value:.8g} is no place of rest: at t = {row[0]:.4g} it is {row[i]:.8g}"
        return None


class Modes(AtRest):
    """A small motion along a mode grows and turns as its eigenvalue says: differences of the motion, both ways."""
    name = "modes"

    def check_state(self, model, state, context):
        sizes = sizes_of(model, state, context)
        if state["corners"]:
            return self.check_corner(model, state, sizes, context)
        for value in distinct(state["eigenvalues"]):
            message = self.check_mode(model, state, value, sizes, context)
            if message:
                return message
        return None

    def check_corner(self, model, state, sizes, context):
        """Where a corner is told of, there must be one: some small motion and its opposite go different ways."""
        if state["verdict"] != "corner":
            return f"on a corner ({', '.join(state['corners'])}), but called {state['verdict']}"
        for value in distinct(state["eigenvalues"]):
            tables, shape, scale, rate = self.both_ways(model, state, value, sizes, context)
            if isinstance(tables, str):
                return tables
            for column in shape:
                if column not in tables[0].columns:
                    continue
                i = tables[0].columns.index(column)
                there, back = (table.rows[-1][i] - state["q"][column] for table in tables)
                if abs(there + back) > AGREE*scale:
                    return None
        return f"a corner is told of ({', '.join(state['corners'])}), and small motions are alike both ways"

    def check_mode(self, model, state, value, sizes, context):
        tables, shape, scale, rate = self.both_ways(model, state, value, sizes, context)
        if isinstance(tables, str):
            return tables
        until = 1/abs(rate)
        turn = cmath.exp(rate*until)
        largest = max(abs(z) for z in shape.values())
        for column, z in shape.items():
            if column not in tables[0].columns:
                continue
            i = tables[0].columns.index(column)
            got = (tables[0].rows[-1][i] - tables[1].rows[-1][i])/(2*scale)
            if abs(got - (z*turn).real) > AGREE*largest*abs(turn):
                return (f"along the mode of {rate:.6g}, {column} is {got:.6g} of its amplitude after t = {until:.4g}; "
                        f"the eigenvalue says {(z*turn).real:.6g}")
        return None

    def both_ways(self, model, state, value, sizes, context):
        """The motions that begin along a mode and against it, or a message; its shape, its size and its eigenvalue."""
        rate = complex(value["re"], value["im"])
        shape = {c: complex(part["re"], part["im"]) for c, part in value["shape"].items()}
        scale = SMALL*min(sizes[c]/abs(z) for c, z in shape.items() if abs(z) > 1e-3)
        until = 1/abs(rate)
        tables = []
        for sign in (1, -1):
            q = {c: state["q"][c] + sign*scale*z.real for c, z in shape.items()}
            v = {c: state["v"][c] + sign*scale*(rate*z).real for c, z in shape.items()}
            begin = state["t"]
            answer = context.program.run(started(model, q, v), ["--to", repr(begin + until), "--every", repr(until), "--tolerance", "1e-12"], stem="variant")
            if answer.status != 0:
                return f"the motion along the mode of {rate:.6g} fails: {answer.refused()}", shape, scale, rate
            tables.append(answer.table)
        return tables, shape, scale, rate


def distinct(eigenvalues):
    """One of each pair; none of zeros, and none of symmetries."""
    found = []
    for e in eigenvalues:
        is_zero = e["kind"] in ("symmetry", "neutral") or abs(complex(e["re"], e["im"])) < 1e-6
        is_repeated = any(abs(o["re"] - e["re"]) + abs(abs(o["im"]) - abs(e["im"])) < 1e-4*(abs(complex(e["re"], e["im"])) + 1e-30) for o in eigenvalues
                          if o is not e and o["im"]*e["im"] >= 0)
        if not is_zero and not is_repeated and e["im"] >= 0:
            found.append(e)
    return found


def sizes_of(model, state, context):
    """How far coordinates move in the model's own run; 1 where that is not known."""
    reference = context.reference(model)
    found = {}
    for column, value in state["q"].items():
        known = not isinstance(reference, str) and column in reference.table.columns
        found[column] = max(reference.sizes[reference.table.columns.index(column)] if known else 1.0, abs(value))
    return found


def started(model, q, v):
    """The model started at q with the velocities v, in place of what it says itself."""
    def without_starts(statements):
        return [replace(s, block=without_starts(s.block), other=s.other and without_starts(s.other)) for s in statements if s.word != "start"]
    given = [(name(c), number(value)) for c, value in q.items()] + [(name(c + "'"), number(value)) for c, value in v.items()]
    statements = without_starts([s for s in model.statements if s.word != "run"])
    run = [s for s in model.statements if s.word == "run"]
    return replace(model, statements=statements + [Statement("start", given)] + run)


def time_options(model, fastest, state, context):
    """Not longer than disturbances take to grow by e^GROWTH, and not longer than the model runs."""
    reference = context.reference(model)
    span = 1.0 if isinstance(reference, str) else reference.end() - reference.begin()
    if fastest > 0:
        span = min(span, GROWTH/fastest)
    return ["--to", repr(state["t"] + span), "--every", repr(span/20), "--tolerance", "1e-10"]


RELATIONS = [AtRest(), Modes()]
