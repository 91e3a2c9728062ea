"""Rewritings of models that leave the motion what it is. Each returns the new model; how its columns relate to those
of the old one is said by the relation that uses it."""
import random
from dataclasses import replace

from .language import E, ENERGIES, Decl, Statement, binary, group, is_zero, name, number, times
from .model import expressions, map_expression, map_statements, map_values, nodes

RAW = "_raw"                        # ends the name of a coordinate in new units


# ---- coordinates in other units ----


def coordinate_names(model):
    """The names of all coordinates, as declared, in the order of the text."""
    found = []
    for s in model.all_statements():
        if s.word == "coord":
            found += [d.name for d in s.items if d.name not in found]
    return found


def scale_coordinates(model, factor, chosen=None):
    """`coord x = a` becomes `coord x_raw = a/factor`, `let x = factor*x_raw`. `chosen`: names to do it with, default all."""
    names = set(coordinate_names(model) if chosen is None else chosen)
    return model.map(lambda s: scaled(s, factor, names))


def scaled(s, factor, names):
    if s.word == "coord":
        return scaled_coord(s, factor, names)
    extra = aliases(s, names) if s.word == "let" else []
    s = map_values(s, lambda e: map_expression(e, lambda n: scaled_diff(n, factor, names)))
    if s.word in ("start", "when") and not s.exactly:
        return [replace(s, items=[scaled_target(t, v, factor, names) for t, v in s.items])]
    return [replace(s, items=s.items + extra)]


def scaled_coord(s, factor, names):
    declared, lets, loops = [], [], []
    for d in s.items:
        if d.name not in names:
            declared.append(d)
            continue
        raw = d.name + RAW
        declared.append(Decl(raw, d.ranges, divided(d.init, factor), divided(d.scale, factor)))
        ranges = d.ranges or list_ranges(d.init)
        if not ranges:
            lets.append((name(d.name), times(factor, name(raw))))
            continue
        indices = [name(f"k{i}{RAW}") for i in range(len(ranges))]
        iters = [(E("iter", [lo, hi], k.text), None) for k, (lo, hi) in zip(indices, ranges)]
        element = Statement("let", [(E("index", [name(d.name)] + indices), times(factor, E("index", [name(raw)] + indices)))])
        loops.append(Statement("for", iters, block=[element]))
    return [Statement("coord", declared)] + ([Statement("let", lets)] if lets else []) + loops


def list_ranges(init):
    """The ranges of an array that is declared by a literal."""
    if init is None or init.op != "list":
        return []
    return [(number("1"), number(str(len(init.kids))))] + list_ranges(init.kids[0])


def divided(e, factor):
    if e is None:
        return None
    if e.op == "list":
        return E("list", [divided(kid, factor) for kid in e.kids])
    return e if is_zero(e) else binary("/", group(e), number(factor))


def raw_path(target, names):
    """A target such as `crank.phi'` or `P.x` by the raw coordinate, or None: the first segment that is a coordinate."""
    if target.op in ("prime", "member", "index"):
        below = raw_path(target.kids[0], names)
        if below is not None:
            return E(target.op, [below] + target.kids[1:], target.text)
        if target.op == "member" and target.text in names:
            return E("member", target.kids, target.text + RAW)
    if target.op == "name" and target.text in names:
        return name(target.text + RAW)
    return None


def scaled_target(target, value, factor, names):
    raw = raw_path(target, names)
    return (target, value) if raw is None else (raw, divided(value, factor))


def aliases(s, names):
    """`let r = b.r` in a component names the coordinate; the raw one gets the same name there."""
    found = []
    for target, value in s.items:
        if target.op == "name" and value.op == "member" and value.text in names and raw_path(value, names) is not None:
            found.append((name(target.text + RAW), raw_path(value, names)))
    return found


def scaled_diff(node, factor, names):
    """diff(e, x) is diff(e, x_raw)/factor."""
    if node.op == "call" and node.kids[0].op == "name" and node.kids[0].text == "diff":
        raw = raw_path(node.kids[2].kids[0], names)
        if raw is not None:
            return E("group", [binary("/", E("call", [node.kids[0], node.kids[1], E("actual", [raw])]), number(factor))])
    return node


# ---- energies, forces and rows multiplied ----


def scale_energies(model, factor):
    """All energies and forces times `factor`; reactions are read in the old unit."""
    def rewrite(s):
        s = map_values(s, lambda e: scale_reactions(e, 1/factor))
        if s.word in ENERGIES or s.word == "force":
            s = replace(s, value=times(factor, s.value))
        return [s]
    return model.map(rewrite)


def scale_rows(model, factor, every=1):
    """Both sides of constraints and contacts times `factor`; with `every` = 2, only those of every second statement."""
    chosen = {id(s) for i, s in enumerate(r for r in model.all_statements() if r.word in ("constraint", "contact")) if i % every == 0}
    labels = None if every == 1 else {label_name(s) for s in model.all_statements() if id(s) in chosen}

    def rewrite(s):
        is_chosen = id(s) in chosen
        s = map_values(s, lambda e: scale_reactions(e, factor, labels))
        if is_chosen:
            s = replace(s, left=times(factor, s.left), right=times(factor, s.right),
                        options=[(word, times(factor, v) if word == "slip" else v) for word, v in s.options])
        return [s]
    return model.map(rewrite)


def label_name(s):
    e = s.label
    while e is not None and e.kids:
        e = e.kids[0]
    return e.text if e is not None else ""


def scale_reactions(e, factor, labels=None):
    """reaction(x) becomes (factor*reaction(x)), of all labels or of those given."""
    def f(node):
        if node.op != "call" or node.kids[0].text != "reaction":
            return node
        words = {n.text for n in nodes(node.kids[1]) if n.op in ("name", "member")}
        return E("group", [times(factor, node)]) if labels is None or words & labels else node
    return map_expression(e, f)


# ---- time ----


def scale_time(model, factor):
    """t = factor*T, T being the time of the new model: x' becomes (x'/factor), t becomes (factor*t)."""
    levels = velocity_names(model)

    def value(e):
        return map_expression(e, lambda node: timed(node, factor))

    def rewrite(s):
        level = max([level_of(e, levels) for e in (s.left, s.right) if e is not None] or [0])
        is_rate = s.word == "force" and level_of(s.target, levels) > 0
        slips = [level_of(v, levels) for word, v in s.options if word == "slip"]
        s = map_values(s, value)
        if s.word in ("start", "when") and not s.exactly:
            return [replace(s, items=[(t, times(factor**primes(t), v) if primes(t) else v) for t, v in s.items])]
        if s.word == "force" and is_rate or s.word == "dissipation":
            return [replace(s, value=times(factor, s.value))]
        if s.word == "gibbs":
            return [replace(s, value=times(factor**2, s.value))]
        if s.word in ("constraint", "contact"):
            if level:
                s = replace(s, left=times(factor**level, s.left), right=times(factor**level, s.right))
            if slips and slips[0]:
                s = replace(s, options=[(word, times(factor, v) if word == "slip" else v) for word, v in s.options])
            return [s]
        if s.word == "run":
            return [replace(s, left=divided(s.left, factor), right=divided(s.right, factor),
                            options=[(word, divided(v, factor) if word in ("every", "step") else v) for word, v in s.options])]
        return [s]
    return model.map(rewrite)


def timed(node, factor):
    if node.op == "name" and node.text == "t":
        return E("group", [times(factor, node)])
    if node.op == "prime":
        return E("group", [binary("/", node, number(factor**len(node.text)))])
    if node.op == "call" and node.kids[0].text == "diff":
        by = node.kids[2].kids[0]           # a velocity, which has become (x'/factor): differentiate by x'
        if by.op == "group" and by.kids[0].op == "bin" and by.kids[0].kids[0].op == "prime":
            velocity = by.kids[0].kids[0]
            call = E("call", [node.kids[0], node.kids[1], E("actual", [velocity])])
            return E("group", [times(factor**len(velocity.text), call)])
    return node


def primes(target):
    return sum(len(node.text) for node in nodes(target) if node.op == "prime")


def level_of(e, levels):
    """How often an expression is differentiated by time: 1 if it holds velocities, 2 with accelerations."""
    if e.op == "prime":
        return level_of(e.kids[0], levels) + len(e.text)
    own = levels.get(e.text, 0) if e.op in ("name", "member") else 0
    return max([own] + [level_of(kid, levels) for kid in e.kids])


def velocity_names(model):
    """The names of `let`, functions and members that hold velocities: name -> level. Scopes are not told apart."""
    levels = {}
    for _ in range(4):                      # names of names
        for s in model.all_statements():
            for target, value in s.items if s.word in ("let", "quasi") else []:
                while target.op in ("call", "index"):
                    target = target.kids[0]
                levels[target.text] = max(levels.get(target.text, 0), level_of(value, levels))
    return {word: level for word, level in levels.items() if level}


def shift_time(model, shift):
    """The same motion `shift` later: t becomes (t - shift)."""
    def value(e):
        return map_expression(e, lambda n: E("group", [binary("-", n, number(shift))]) if n.op == "name" and n.text == "t" else n)

    def rewrite(s):
        s = map_values(s, value)
        if s.word == "run":
            s = replace(s, left=binary("+", s.left, number(shift)), right=binary("+", s.right, number(shift)))
        return [s]
    return model.map(rewrite)


# ---- order and names ----


def declared(s):
    """The names that a statement makes known to the text after it."""
    found = set()
    for inner in [s] + ([] if s.word == "component" else list(blocks(s))):
        if inner.word in ("param", "coord", "memory"):
            found |= {d.name for d in inner.items}
        elif inner.word in ("let", "output", "quasi", "part"):
            found |= {first_name(t) for t, _ in inner.items}
        elif inner.word in ("constraint", "contact"):
            found |= {label_name(inner)} - {""}
        elif inner.word == "component":
            found.add(inner.name)
    return found


def blocks(s):
    for inner in s.block + (s.other or []):
        yield inner
        yield from blocks(inner)


def first_name(e):
    while e.kids:
        e = e.kids[0]
    return e.text


def used(s):
    """All names that stand in a statement."""
    return {node.text for inner in [s] + list(blocks(s)) for e in expressions(inner) for node in nodes(e) if node.op in ("name", "member")}


def shuffle(model, seed):
    """The statements in another order; what declares a name stays before what uses it, also by way of a function."""
    chance = random.Random(seed)
    statements = [s for s in model.statements if s.word not in ("use", "run")]
    first = [s for s in model.statements if s.word == "use" or (s.word == "param" and "use" in [u.word for u in model.statements])]
    statements = [s for s in statements if s not in first]
    names = [declared(s) for s in statements]
    needs = []                               # for each statement, the places of those that it needs
    for i, s in enumerate(statements):
        direct = {j for j in range(i) if names[j] & used(s)}
        # the same name declared before: elements of one array, and what a function reads where it is called
        direct |= {j for j in range(i) if names[j] & names[i]}
        needs.append(direct.union(*[needs[j] for j in direct]) if direct else set())
    for i, s in enumerate(statements):       # a function sees what is declared where it is called
        for j in list(needs[i]):
            needs[i] |= {k for k in range(i) if names[k] & used(statements[j])}
    order, left = [], list(range(len(statements)))
    while left:
        ready = [i for i in left if not needs[i] & set(left)]
        order.append(chance.choice(ready))
        left.remove(order[-1])
    return replace(model, statements=first + [statements[i] for i in order] + [s for s in model.statements if s.word == "run"])


def reorder_lists(model, seed):
    """`coord a, b` becomes `coord b, a`; the same for start values and forces, which stand by themselves."""
    chance = random.Random(seed)

    def rewrite(s):
        if s.word == "start" or (s.word == "coord" and not any(uses_sibling(s, d) for d in s.items)):
            items = list(s.items)
            chance.shuffle(items)
            return [replace(s, items=items)]
        return [s]
    return model.map(rewrite)


def uses_sibling(s, d):
    siblings = {other.name for other in s.items}
    return d.init is not None and any(n.op == "name" and n.text in siblings for n in nodes(d.init))


def rename_all(model, prefix):
    """All names that the text of the model itself declares at file level begin with `prefix`; libraries keep theirs."""
    names = set().union(*[declared(s) for s in model.statements]) if model.statements else set()
    return replace(model, statements=[renamed(s, names, prefix) for s in model.statements])


def renamed(s, names, prefix):
    """One statement with `names` replaced, but not where an argument or an index hides them."""
    def new(word):
        return prefix + word if word in names else word

    def in_expression(e, hidden=frozenset()):
        if e is None:
            return None
        if e.op == "name":
            return e if e.text in hidden else name(new(e.text))
        if e.op == "sum":
            hidden = hidden | {kid.text for kid in e.kids[:-1]}
        return E(e.op, [in_expression(kid, hidden) for kid in e.kids], e.text)

    def done(s, hidden):
        if s.word == "component":
            own = {t.text for t, _ in s.items}.union(*[declared(inner) for inner in s.block])
            inner = hidden | own
            return replace(s, name=new(s.name), items=[(t, in_expression(v, hidden)) for t, v in s.items],
                           block=[done(b, inner) for b in s.block])
        if s.word == "for":
            indices = {e.text for e, _ in s.items}
            s = map_values(s, lambda e: in_expression(e, hidden))
            return replace(s, block=[done(b, hidden | indices) for b in s.block])
        if s.word == "let":
            return replace(s, items=[let_pair(t, v, hidden) for t, v in s.items])
        s = map_values(s, lambda e: in_expression(e, hidden))
        if s.word in ("param", "coord", "memory"):
            return replace(s, items=[replace(d, name=d.name if d.name in hidden else new(d.name)) for d in s.items])
        if s.word != "use":
            s = replace(s, items=[(in_expression(t, hidden) if not s.exactly else t, v) for t, v in s.items])
        return replace(s, label=in_expression(s.label, hidden), block=[done(b, hidden) for b in s.block],
                       other=None if s.other is None else [done(b, hidden) for b in s.other])

    def let_pair(target, value, hidden):
        if target.op == "call":
            own = {kid.kids[0].text for kid in target.kids[1:]}
            return E("call", [in_expression(target.kids[0], hidden)] + target.kids[1:]), in_expression(value, hidden | own)
        return in_expression(target, hidden), in_expression(value, hidden)

    return done(s, frozenset())
