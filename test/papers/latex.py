"""What `zwang paper NAME --latex` prints, read as TeX would: every formula in dollars, every brace closed, at most one index and one exponent at a
letter, and no command that LaTeX with amsmath does not know. The same of formulas with one character taken away, which must not pass.

  latex.py ZWANG
"""
import re
import subprocess
import sys

known = set("""sin cos tan exp log det max min sum sqrt hat tilde bar dot ddot mathsf mathrm text mathrel lVert rVert lvert rvert Vert vert sharp
langle rangle cdot times ldots ge le ne to leftarrow Leftrightarrow sim backslash begin end
alpha beta gamma delta varepsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau varphi chi psi omega Gamma Delta Theta Lambda Phi Psi Omega
""".split())
known |= {"\\", ",", " ", "{", "}", "%", "&", "$", "_"}
takes_one = {"sqrt", "hat", "tilde", "bar", "dot", "ddot", "mathsf", "mathrm", "text", "mathrel"}


class Wrong(Exception):
    pass


def tokens(formula):
    return re.findall(r"\\[A-Za-z]+|\\.|.", formula, re.S)


def atom(t, i):
    """The index after the atom that begins at i."""
    if i >= len(t):
        raise Wrong("nothing where an argument belongs")
    if t[i] == "{":
        return group(t, i + 1)
    if t[i] in "}^_":
        raise Wrong(f"{t[i]} where an argument belongs")
    if t[i].startswith("\\"):
        name = t[i][1:]
        if name not in known:
            raise Wrong(f"unknown command {t[i]}")
        if name in ("begin", "end"):
            i = group(t, i + 2)
            return i
        if name in takes_one:
            if i + 1 >= len(t) or t[i + 1] != "{":
                raise Wrong(f"{t[i]} without braces")
            return group(t, i + 2)
    return i + 1


def scripts(t, i):
    """After an atom: at most one index and one exponent; primes are an exponent."""
    seen = set()
    while i < len(t) and t[i] in ("^", "_", "'"):
        kind = "_" if t[i] == "_" else "^"
        if t[i] == "'":
            if kind in seen:
                raise Wrong("a prime beside an exponent")
            while i < len(t) and t[i] == "'":
                i += 1
            if i < len(t) and t[i] == "^":
                i = atom(t, i + 1)
            seen.add("^")
            continue
        if kind in seen:
            raise Wrong(f"two {kind} at one letter")
        seen.add(kind)
        i = atom(t, i + 1)
    return i


def group(t, i):
    """After the } that closes what begins at i."""
    while i < len(t) and t[i] != "}":
        if t[i] in ("^", "_"):
            i = scripts(t, i)  # of nothing: {}^{2} was meant to be so
            continue
        i = atom(t, i)
        i = scripts(t, i)
    if i >= len(t):
        raise Wrong("a brace is not closed")
    return i + 1


def check_formula(formula):
    t = tokens(formula)
    if group(t + ["}"], 0) != len(t) + 1:
        raise Wrong("a brace closes nothing")
    depth = 0
    for begun in re.findall(r"\\(begin|end)\{pmatrix\}|(&|\\\\)", formula):
        depth += (begun[0] == "begin") - (begun[0] == "end")
        if depth < 0 or (begun[1] and depth == 0):
            raise Wrong("a matrix that was not begun")
    if depth:
        raise Wrong("a matrix is not closed")
    if not formula.strip():
        raise Wrong("an empty formula")


def check_page(page):
    """All formulas of a page; what stands between them has no character that TeX reads as a command."""
    body = page.split(r"\begin{document}", 1)[1].split(r"\end{document}")[0]
    parts = re.split(r"(?<!\\)\$", body)
    if len(parts) % 2 == 0:
        raise Wrong("a dollar too many")
    for k, part in enumerate(parts):
        if k % 2:
            try:
                check_formula(part)
            except Wrong as e:
                raise Wrong(f"{e}: ${part}$")
            continue
        words = re.sub(r"\\(section\*|textit|item|begin|end|textbackslash)|\\[_#$%&{}^~\\]", "", part)
        if re.search(r"[_^#&%\\~]", words):
            raise Wrong(f"a special character in {words!r}")
        if r"\texttt" in part:
            raise Wrong("a formula in typewriter letters")
    if body.count(r"\textit{left:}") != body.count(r"\textit{check:}") or body.count(r"\textit{right:}") != body.count(r"\textit{check:}"):
        raise Wrong("a check without its values")
    return [part for part in parts[1::2]]


def passes(formula):
    try:
        check_formula(formula)
    except Wrong:
        return False
    return True


def main(zwang):
    count = 0
    for name in "uk98 bg99 ku93 l96 u96".split():
        for letters in "ours uk98 bg99 ku93 l96 u96".split():
            page = subprocess.run([zwang, "paper", name, "--latex", "--letters", letters], capture_output=True, text=True, check=True).stdout
            try:
                formulas = check_page(page)
            except Wrong as e:
                raise SystemExit(f"{name} in the letters of {letters}: {e}")
            count += len(formulas)
            # the check is checked: a formula without one of its braces
            for formula in formulas:
                places = [m.start() for m in re.finditer(r"(?<!\\)[{}]", formula)]
                if places and passes(formula[: places[-1]] + formula[places[-1] + 1 :]):
                    raise SystemExit(f"{name}: a brace that is missing is not seen in {formula}")
    if passes("x^{2}^{3}") or passes("x_{1}_{2}") or passes(r"\nocommand") or passes("A & B") or passes(r"a, \\ b") or not passes("{A^{-1}}^{2}_{k}"):
        raise SystemExit("the check does not see what is wrong")
    print(f"{count} formulas")


main(sys.argv[1])
