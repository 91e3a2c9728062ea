"""The modelling language as text: a tokenizer, a parser and a printer that share nothing with src/text.

A model is a list of `Statement`. A statement has a `word` (`coord`, `force`, ...) and the parts that the grammar of
docs/language.md gives it. An expression is an `E`: an operator, its operands and a text. Brackets of the user are kept as
nodes of their own ("group"), so that printing needs no precedence: whoever replaces an expression puts it into a group.
"""
import re
from dataclasses import dataclass, field

ENERGIES = ("kinetic", "potential", "lagrangian", "dissipation", "gibbs")
# statements that move nothing
PICTURES = ("claim", "draw", "plot")

TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+|\#[^\n]*)
      | (?P<newline>\n|;)
      | (?P<number>\d+(\.\d+)?([eE][+-]?\d+)?)
      | (?P<name>[^\W\d]\w*)
      | (?P<text>"[^"\n]*")
      | (?P<sign>->|\.\.|==|!=|<=|>=|[-+*/^=<>()\[\]{},:.'])""",
    re.VERBOSE,
)
ENDS_OPEN = {"+", "-", "*", "/", "^", "==", "!=", "<", ">", "<=", ">=", "=", ",", ":", "->", "..",
             "and", "or", "not", "if", "then", "else"}
BEGINS_MORE = {"+", "-", "*", "/", "^", "==", "!=", "<", ">", "<=", ">=", "=", ",", "->", "..", ")", "]", "{",
               "and", "or", "then", "else"}
COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")


class Unreadable(Exception):
    """The text is not a model as this parser knows the language."""


@dataclass
class Token:
    kind: str
    text: str
    line: int


@dataclass
class E:
    """An expression. op: num str name group vector list prime index member call actual unary bin if sum iter."""
    op: str
    kids: list = field(default_factory=list)
    text: str = ""

    def __str__(self):
        return PRINTERS[self.op](self)


def number(value):
    return E("num", [], value if isinstance(value, str) else repr(float(value)))


def name(text):
    return E("name", [], text)


def group(inner):
    """The expression in brackets, unless it needs none."""
    return inner if inner.op in ("num", "name", "group", "vector", "call", "index", "member", "prime") else E("group", [inner])


def binary(sign, left, right):
    return E("bin", [left, right], sign)


def times(factor, inner):
    """factor*(inner); the literal 0, which may stand for a zero vector, stays what it is."""
    return inner if is_zero(inner) else binary("*", number(factor), group(inner))


def is_zero(e):
    while e.op == "group":
        e = e.kids[0]
    return e.op == "num" and float(e.text) == 0


def joined(kids):
    return ", ".join(map(str, kids))


PRINTERS = {
    "num": lambda e: e.text,
    "str": lambda e: e.text,
    "name": lambda e: e.text,
    "group": lambda e: f"({e.kids[0]})",
    "vector": lambda e: f"({joined(e.kids)})",
    "list": lambda e: f"[{joined(e.kids)}]",
    "prime": lambda e: f"{e.kids[0]}{e.text}",
    "index": lambda e: f"{e.kids[0]}[{joined(e.kids[1:])}]",
    "member": lambda e: f"{e.kids[0]}.{e.text}",
    "call": lambda e: f"{e.kids[0]}({joined(e.kids[1:])})",
    "actual": lambda e: f"{e.text} = {e.kids[0]}" if e.text else str(e.kids[0]),
    "unary": lambda e: f"{e.text} {e.kids[0]}" if e.text == "not" else f"{e.text}{e.kids[0]}",
    "bin": lambda e: f"{e.kids[0]}{e.text}{e.kids[1]}" if e.text in "*/^" else f"{e.kids[0]} {e.text} {e.kids[1]}",
    "if": lambda e: f"if {e.kids[0]} then {e.kids[1]} else {e.kids[2]}",
    "sum": lambda e: f"sum({joined(e.kids[:-1])}: {e.kids[-1]})",
    "iter": lambda e: f"{e.text} in {e.kids[0]}..{e.kids[1]}",
}


@dataclass
class Decl:
    """One declaration of `param`, `coord` or `memory`."""
    name: str
    ranges: list
    init: E = None
    scale: E = None

    def __str__(self):
        ranges = f"[{', '.join(f'{lo}..{hi}' for lo, hi in self.ranges)}]" if self.ranges else ""
        scale = f" scale {self.scale}" if self.scale else ""
        return self.name + ranges + (f" = {self.init}" if self.init else "") + scale


@dataclass
class Statement:
    """word, and of the rest what this word takes.

    items    declarations (`Decl`), or pairs (target, value): let, start, when, output, quasi, part, use, component
    value    an expression: energies, force, the condition of `stop`
    """
    word: str
    items: list = field(default_factory=list)
    value: E = None
    target: E = None                 # force
    label: E = None                  # constraint, contact
    left: E = None
    right: E = None
    sign: str = ""
    options: list = field(default_factory=list)   # (word, expression) of contact and run
    condition: E = None              # while, when, stop when, if
    exactly: bool = False
    name: str = ""                   # component, use, state
    block: list = field(default_factory=list)
    other: list = None               # the block of `else`
    raw: str = ""                    # draw, plot: kept as text

    def __str__(self):
        return "\n".join(lines_of(self))


def text_of(statements):
    return "".join(f"{line}\n" for s in statements for line in lines_of(s))


def lines_of(s, indent=""):
    """The statement as lines of text."""
    if s.word in ("for", "if", "component"):
        return block_lines(s, indent)
    return [indent + head_of(s)]


def block_lines(s, indent):
    lines = [f"{indent}{head_of(s)} {{"]
    for inner in s.block:
        lines += lines_of(inner, indent + "  ")
    if s.other is not None:
        lines.append(f"{indent}}} else {{")
        for inner in s.other:
            lines += lines_of(inner, indent + "  ")
    return lines + [indent + "}"]


def pairs_text(items):
    return ", ".join(f"{t} = {v}" if v is not None else str(t) for t, v in items)


def head_of(s):
    """The first line of a statement, without its block."""
    label = f"{s.label}: " if s.label else ""
    clause = f" while {s.condition}" if s.condition and s.word in ("force", "constraint", "contact") else ""
    if s.word in ("param", "coord", "memory"):
        return f"{s.word} {', '.join(map(str, s.items))}"
    if s.word in ENERGIES:
        return f"{s.word} {s.value}"
    if s.word == "force":
        return f"force {s.target} = {s.value}{clause}"
    if s.word == "constraint":
        return f"constraint {label}{s.left} = {s.right}{clause}"
    if s.word == "contact":
        options = "".join(f", {word} {value}" for word, value in s.options)
        return f"contact {label}{s.left} {s.sign} {s.right}{options}{clause}"
    if s.word == "start":
        return f"start {'exactly ' if s.exactly else ''}{pairs_text(s.items)}"
    if s.word == "when":
        return f"when {s.condition}: {pairs_text(s.items)}"
    if s.word == "stop":
        return f"stop when {s.condition}"
    if s.word in ("let", "output", "quasi", "part"):
        return f"{s.word} {pairs_text(s.items)}"
    if s.word == "for":
        return f"for {joined(t for t, _ in s.items)}"
    if s.word == "if":
        return f"if {s.condition}"
    if s.word == "component":
        return f"component {s.name}({pairs_text(s.items)})"
    if s.word == "use":
        return f"use {s.name}" + (f" with {pairs_text(s.items)}" if s.items else "")
    if s.word == "run":
        return f"run {s.left} .. {s.right}" + "".join(f" {word} {value}" for word, value in s.options)
    return s.raw


# ---- tokens ----


def tokens_of(text):
    """All tokens, with a "newline" wherever a statement may end."""
    found, at, line = [], 0, 1
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise Unreadable(f"line {line}: {text[at:at + 10]!r}")
        kind, at = match.lastgroup, match.end()
        if kind != "space":
            found.append(Token(kind, match.group(), line))
        line += match.group().count("\n")
    return without_inner_newlines(found)


def without_inner_newlines(tokens):
    """Leaves out the newlines after which a statement goes on."""
    kept, depth = [], 0
    for i, token in enumerate(tokens):
        if token.kind != "newline":
            depth += (token.text in "([") - (token.text in ")]")
            kept.append(token)
            continue
        following = next((t for t in tokens[i:] if t.kind != "newline"), None)
        last = kept[-1].text if kept else "\n"
        is_open = last in ENDS_OPEN or (following is not None and following.text in BEGINS_MORE)
        if token.text == ";" or (depth == 0 and not is_open):
            kept.append(token)
    return kept + [Token("newline", "\n", 0), Token("end", "", 0)]


# ---- the parser ----


class Parser:
    """Recursive descent; one method for each rule of the grammar."""

    def __init__(self, text):
        self.tokens = tokens_of(text)
        self.at = 0

    def sees(self, *texts):
        return self.tokens[self.at].kind != "text" and self.tokens[self.at].text in texts

    def take(self, *texts):
        """The next token; with texts, only if it is one of them."""
        token = self.tokens[self.at]
        if texts and not self.sees(*texts):
            raise Unreadable(f"line {token.line}: {token.text!r} where {' or '.join(texts)} was expected")
        self.at += 1
        return token

    def taken(self, *texts):
        if self.sees(*texts):
            self.at += 1
            return True
        return False

    # -- expressions --

    def expr(self):
        if self.taken("if"):
            condition = self.cond()
            self.take("then")
            first = self.expr()
            self.take("else")
            return E("if", [condition, first, self.expr()])
        return self.cond()

    def chain(self, words, below):
        left = below()
        while self.sees(*words):
            word = self.take().text
            left = E("bin", [left, below()], word)
        return left

    def cond(self):
        return self.chain(("or",), lambda: self.chain(("and",), self.negation))

    def negation(self):
        if self.taken("not"):
            return E("unary", [self.negation()], "not")
        left = self.sum()
        if self.sees(*COMPARISONS):
            word = self.take().text
            return E("bin", [left, self.sum()], word)
        return left

    def sum(self):
        return self.chain(("+", "-"), lambda: self.chain(("*", "/"), self.unary))

    def unary(self):
        if self.sees("-", "+"):
            sign = self.take().text
            return E("unary", [self.unary()], sign)
        base = self.postfix()
        if self.taken("^"):
            return E("bin", [base, self.unary()], "^")
        return base

    def postfix(self):
        e = self.primary()
        while True:
            if self.sees("'"):
                primes = ""
                while self.taken("'"):
                    primes += "'"
                e = E("prime", [e], primes)
            elif self.sees("["):
                e = E("index", [e] + self.listed("[", "]", self.expr))
            elif self.taken("."):
                e = E("member", [e], self.take().text)
            elif self.sees("(") and e.op in ("name", "member", "index"):
                e = E("call", [e] + self.listed("(", ")", self.actual))
            else:
                return e

    def listed(self, opening, closing, item):
        self.take(opening)
        found = []
        while not self.taken(closing):
            found.append(item())
            if not self.sees(closing):
                self.take(",")
        return found

    def actual(self):
        following = self.tokens[self.at + 1]
        if self.tokens[self.at].kind == "name" and following.kind == "sign" and following.text == "=":
            word = self.take().text
            self.take("=")
            return E("actual", [self.expr()], word)
        return E("actual", [self.expr()])

    def iter(self):
        word = self.take().text
        self.take("in")
        low = self.sum()
        self.take("..")
        return E("iter", [low, self.sum()], word)

    def primary(self):
        token = self.tokens[self.at]
        if token.kind == "number":
            return E("num", [], self.take().text)
        if token.kind == "text":
            return E("str", [], self.take().text)
        if self.sees("("):
            inside = self.listed("(", ")", self.expr)
            return E("group", inside) if len(inside) == 1 else E("vector", inside)
        if token.kind != "name":
            raise Unreadable(f"line {token.line}: an expression expected, not {token.text!r}")
        word = self.take().text
        if word == "sum" and self.sees("("):
            self.take("(")
            iters = [self.iter()]
            while self.taken(","):
                iters.append(self.iter())
            self.take(":")
            body = self.expr()
            self.take(")")
            return E("sum", iters + [body])
        return name(word)

    # -- statements --

    def statements(self, closing="end"):
        found = []
        while True:
            while self.tokens[self.at].kind == "newline":
                self.at += 1
            if self.tokens[self.at].kind == "end" or self.sees("}"):
                break
            found.append(self.statement())
        if closing == "}":
            self.take("}")
        elif self.tokens[self.at].kind != "end":
            raise Unreadable(f"line {self.tokens[self.at].line}: a bracket too many")
        return found

    def block(self):
        self.take("{")
        return self.statements("}")

    def statement(self):
        token = self.take()
        word = token.text
        if word in PICTURES:
            return self.picture(word)
        method = getattr(self, f"{word}_statement", None)
        if word in ENERGIES:
            found = Statement(word, value=self.expr())
        elif word in ("param", "coord", "memory"):
            found = Statement(word, self.separated(self.decl))
        elif method:
            found = method()
        else:
            raise Unreadable(f"line {token.line}: no statement begins with {word!r}")
        if not self.sees("}") and self.tokens[self.at].kind not in ("newline", "end"):
            raise Unreadable(f"line {token.line}: {self.tokens[self.at].text!r} after the end of a statement")
        return found

    def separated(self, item):
        found = [item()]
        while self.taken(","):
            found.append(item())
        return found

    def picture(self, word):
        words, depth = [word], 0
        while depth or (self.tokens[self.at].kind not in ("newline", "end") and not self.sees("}")):
            token = self.take()
            depth += (token.text in "([") - (token.text in ")]")
            words.append(token.text)
        return Statement(word, raw=" ".join(words))

    def decl(self):
        word = self.take().text
        ranges = self.listed("[", "]", self.range) if self.sees("[") else []
        init = None
        if self.taken("="):
            init = self.init()
        scale = self.sum() if self.taken("scale") else None
        return Decl(word, ranges, init, scale)

    def init(self):
        return E("list", self.listed("[", "]", self.init)) if self.sees("[") else self.expr()

    def range(self):
        low = self.sum()
        self.take("..")
        return low, self.sum()

    def condition(self):
        return self.cond() if self.taken("while") else None

    def label(self):
        """`name [index] :`, where it stands there."""
        begin = self.at
        if self.tokens[self.at].kind == "name":
            found = name(self.take().text)
            if self.sees("["):
                found = E("index", [found] + self.listed("[", "]", self.expr))
            if self.taken(":"):
                return found
        self.at = begin
        return None

    def pair(self, left, right=None):
        target = left()
        return (target, (right or self.expr)()) if self.taken("=") else (target, None)

    def let_statement(self):
        return Statement("let", self.separated(lambda: self.pair(self.postfix)))

    def part_statement(self):
        return Statement("part", [self.pair(self.postfix, self.postfix)])

    def output_statement(self):
        return Statement("output", self.separated(lambda: self.pair(self.postfix)))

    def quasi_statement(self):
        return Statement("quasi", self.separated(lambda: self.pair(self.postfix)))

    def force_statement(self):
        target = self.sum()
        self.take("=")
        return Statement("force", target=target, value=self.expr(), condition=self.condition())

    def constraint_statement(self):
        label, left = self.label(), self.sum()
        self.take("=")
        return Statement("constraint", label=label, left=left, right=self.expr(), condition=self.condition())

    def contact_statement(self):
        label, left = self.label(), self.sum()
        sign = self.take(">=", "<=").text
        right, options = self.sum(), []
        while self.taken(","):
            word = self.take("restitution", "friction", "slip").text
            options.append((word, self.expr()))
        return Statement("contact", label=label, left=left, right=right, sign=sign, options=options,
                         condition=self.condition())

    def start_statement(self):
        exactly = self.taken("exactly")
        return Statement("start", self.separated(lambda: self.pair(self.sum)), exactly=exactly)

    def when_statement(self):
        condition = self.cond()
        self.take(":")
        return Statement("when", self.separated(lambda: self.pair(self.postfix)), condition=condition)

    def stop_statement(self):
        self.take("when")
        return Statement("stop", condition=self.cond())

    def for_statement(self):
        iters = self.separated(self.iter)
        return Statement("for", [(e, None) for e in iters], block=self.block())

    def if_statement(self):
        found = Statement("if", condition=self.cond(), block=self.block())
        if self.taken("else"):
            found.other = [self.if_statement()] if self.taken("if") else self.block()
        return found

    def component_statement(self):
        word = self.take().text
        arguments = self.listed("(", ")", lambda: self.pair(lambda: name(self.take().text)))
        return Statement("component", arguments, name=word, block=self.block())

    def use_statement(self):
        what = self.take().text
        withs = []
        if self.taken("with"):
            withs = self.separated(lambda: self.pair(lambda: name(self.take().text)))
        return Statement("use", withs, name=what)

    def run_statement(self):
        low = self.sum()
        self.take("..")
        found = Statement("run", left=low, right=self.sum())
        while self.sees("every", "tolerance", "step", "integrator"):
            word = self.take().text
            found.options.append((word, name(self.take().text) if word == "integrator" else self.sum()))
        return found


def parse(text):
    """The statements of a model."""
    return Parser(text).statements()
