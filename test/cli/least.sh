#!/usr/bin/env bash
# Gauss's principle on matrices of a file, with generalized inverses of one's own.
. "$(dirname "$0")/lib.bash"

data=$root/test/papers/data
if ! zwang least "$data/inverses_u96.json" --json && [ "$status" = 2 ] && grep -q "without jansson" err; then
  echo "built without jansson"
  exit 0
fi

# problem KEYS...: the example of U96 with these keys of the paper's file besides M, h, A, b; REPLACE is a line of python
problem() {
  python3 - "$data/inverses_u96.json" "$@" <<'P' >p.json
import json, os, sys
whole = json.load(open(sys.argv[1]))
p = {k: whole[k] for k in ["M", "h", "A", "b", *sys.argv[2:]]}
exec(os.environ.get("REPLACE", ""))
print(json.dumps(p))
P
}
# accelerates: the answer is that of the paper
accelerates() {
  zwang least p.json --json "$@"
  is 0
  is_json
  python3 - <<'P' || fail "other accelerations"
import json
a = json.load(open("out"))["answer"]["a"]
assert max(abs(x - y) for x, y in zip(a, [0.734, 0.212, 0.61])) < 1e-12, a
P
}
problem
for formulation in auto moore-penrose inverse14 inverse1 quadratic gibbs-appell lagrange geometric bellman; do
  accelerates --formulation $formulation
done
for kind in inverse14 inverse1 A_inverse1 H_inverse13 "H_inverse13 A_inverse1"; do
  # shellcheck disable=SC2086 # one word or two
  [ "$kind" = H_inverse13 ] || { problem $kind && accelerates; }
done
problem inverse1
zwang least p.json --show inverses
is 0
prints "by the inverse that is stated" "Multipliers by the inverse that is stated" "lambda  inverse1 d" "W  1 - A A^+"
python3 - <<'P' || fail "multipliers have no names"
lines = [line.split() for line in open("out")]
at = lines.index(["lambda", "inverse1", "d"])
assert lines[at + 1 : at + 3] == [["c1", "c2"], ["-1.804", "0.792"]], lines[at:]
P

# multipliers of an inverse are its own
zwang least p.json --json
python3 - <<'P' || fail "lambda is not that of the inverse"
import json
got = json.load(open("out"))
assert max(abs(x - y) for x, y in zip(got["answer"]["lambda"], [-1.804, 0.792])) < 1e-12
assert max(abs(x - y) for x, y in zip(got["lambda"], [-0.044, -0.088])) < 1e-12
P

# refused: MESSAGE, by this line of python
refused() {
  REPLACE=$2 problem "${@:3}"
  zwang least p.json
  is 2
  says "$1"
  zwang least p.json --json
  is 2
  is_json
}
refused "C inverse14 C = C fails: it is off by 0.0" 'p["inverse14"][0][0] += 0.1' inverse14
refused "(inverse14 C)^T = inverse14 C fails" 'p["inverse14"] = [[1/r, 0] for r in (0.4242640687119285*3, 0.565685424949238*3, -0.7071067811865476*3)]; p["inverse14"][0][0] *= 2; p["inverse14"][1][0] *= 0.5; p["inverse14"][2][0] *= 0.5' inverse14
refused "D inverse1 D = D fails" 'p["inverse1"][0][0] += 0.1' inverse1
refused "A A_inverse1 A = A fails" 'p["A_inverse1"][0][0] += 0.1' A_inverse1
refused "fails" 'p["H_inverse13"][0][0] += 0.1' H_inverse13 A_inverse1
refused "cannot both be the inverse" '' inverse1 inverse14
refused "'inverse1' needs 2 rows of 2 numbers" 'p["inverse1"] = [[1]]' inverse1
refused "'A' needs 3 numbers in each row; row 2 has 1" 'p["A"][1] = [1]'
refused "'A' is a list of numbers; write rows" 'p["A"][0] = 1'
refused "'A' needs 3 numbers in each row; row 2 is no list" 'p["A"][1] = 1'
refused "'M' needs 1 row of 1 number, and has 3" 'p["h"] = [1]'
refused "'A' has 1 row, and 'b' has 2 numbers: each row of A a = b needs one" 'p["A"].pop()'
refused "'A' has 2 rows, and 'b' has 3 numbers" 'p["b"].append(0)'
refused "'A' is a list of numbers; write rows, as in [[1, 2], [3, 4]]" 'p["A"] = [1, 2]'
refused "'inverse1' is a list of numbers; write rows" 'p["inverse1"] = [1, 2]' inverse1
refused "'A' has rows, and 'b' has no number for them" 'del p["b"]'
refused "'inverse1' is an inverse for constraints, and the file states no constraints; state A and b, or leave it out" 'del p["A"], p["b"]' inverse1
refused "'M': entry 2 of row 1 is no finite number" 'p["M"][0][1] = None'
refused "'M' needs 3 rows of 3 numbers" 'p["M"].pop()'
refused "'M' is missing" 'del p["M"]'
refused "'h' needs a list" 'del p["h"]'
refused "'b': entry 1 is no finite number" 'p["b"][0] = "x"'
refused "M is not symmetric" 'p["M"][0][1] = 1'
refused "the constraints contradict each other" 'p["b"][0] = 1'
refused "needs a positive definite M, and M is singular" 'p["M"][0][0] = 0' inverse1
refused "needs a positive definite M, and M is indefinite: it has a negative eigenvalue" 'p["M"][0][0] = -1' inverse1
refused "'coordinates' needs a list of 3 names, one for each number of h, and has 2" 'p["coordinates"] = ["x", "y"]'
refused "'coordinates' needs a list of 3 names, one for each number of h, and is no list" 'p["coordinates"] = "x"'
refused "'coordinates' has the name 'x' twice" 'p["coordinates"] = ["x", "y", "x"]'
refused "'coordinates': entry 2 is no name" 'p["coordinates"] = ["x", 2, "z"]'
refused "'rows' needs a list of 2 names, one for each number of b, and has 3" 'p["rows"] = ["a", "b", "c"]'
refused "'rows': entry 1 is no name" 'p["rows"] = ["", "b"]'

# what is no problem file
for text in '{"M": [[NaN]]}' '{' '[1]' ''; do
  echo "$text" >p.json
  zwang least p.json
  is 2
  grep -qE "p.json:[12]:[0-9]+: " err || fail "no place is told"
done
echo '{"M": [[NaN]], "h": [0]}' >p.json
zwang least p.json
says "invalid token near 'NaN'; numbers are finite, as 0.5 or -1e-3"
echo '{"M": [[1e400]], "h": [0]}' >p.json
zwang least p.json
says "numbers are finite, up to 1.79e308"
zwang least absent.json
is 2
problem
zwang least p.json --formulation newton
is 2
says "there is no formulation 'newton'"
zwang least p.json --eliminate q9
is 2
says "'q9' is no coordinate; the coordinates are q1, q2, q3"
zwang least p.json --eliminate q1 --possible "q1''=0, q2''=1, q3''=0.8"
is 0
prints "eliminating q1" "excess = 1.1958"

# names of the file in every message
REPLACE='p["coordinates"] = ["x", "y", "z"]' problem
zwang least p.json --eliminate z --displacement z=1
is 2
says "a displacement of 'z' is stated, and the partition eliminates it: it follows from the others"
zwang least p.json --eliminate z --displacement x=1
is 0
prints "nu_e = -R nu_i: z 0.6"
REPLACE='p["coordinates"] = ["x", "y", "z"]; p["A"] = [[1, 2, 0], [0, 0, 1]]; p["b"] = [0, 0]' problem
zwang least p.json --eliminate x,y
is 2
says "depend on each other: 'y' on those before it; name another"
REPLACE='p["coordinates"] = ["x", "y", "z"]; p["A"] = [[1, 2, 0]]; p["b"] = [0]' problem
zwang least p.json --eliminate z
is 2
says "the constraints do not determine the acceleration of 'z': its column of A is 0; name another"
REPLACE='p["coordinates"] = ["x", "y", "z"]; p["M"] = [[2, 0, 0], [0, 0, 0], [0, 0, 0]]; p["A"] = [[1, 0, 0]]; p["b"] = [0]' problem
for formulation in auto lagrange bellman; do
  zwang least p.json --formulation $formulation
  is 2
  grep -qE "determines the acceleration of '[yz]'$" err || fail "no coordinate is named"
done
REPLACE='p["M"] = [[1, 1, 0], [1, 1, 0], [0, 0, 1]]; p["A"] = [[0, 0, 1]]; p["b"] = [0]' problem
zwang least p.json
is 2
says "neither inertia nor a constraint determines the accelerations of 'q1', 'q2'"
echo '{"M": [[1]], "h": [0], "A": [[1]], "b": [1]}' >p.json
zwang least p.json
is 0
prints "1 coordinate, 1 row of rank 1, by auto"
mkdir folder
zwang least folder
is 2
says "'folder' is a folder, not a problem file"
# what has no meaning is refused
problem inverse1
zwang least p.json --formulation lagrange
is 2
says "--formulation lagrange: p.json states 'inverse1', and that is what solves; leave one of them out"
prints_nothing
zwang least p.json --json --formulation=auto
is 2
is_json
zwang least p.json --json
is 0
is_json
json_is formulation null
json_is inverse inverse1
zwang least p.json --show gibbs
is 2
says "--show gibbs needs the forces of a model"
# M that is indefinite has an inverse; what needs its root says why
echo '{"M": [[1, 0], [0, -1]], "h": [1, 2], "A": [[1, 0]], "b": [0]}' >p.json
zwang least p.json --show all
is 0
prints "no minimum: M is not positive on the admissible a" "not positive: a stationary point, no minimum" "G = 0.5  the Gaussian" \
  "stationary: M is not positive on the admissible a" "needs a root of M, and M is indefinite" "gain  (1 - X) A^+"
python3 - <<'P' || fail "a0, d or D is not that of the inverse"
lines = [" ".join(line.split()) for line in open("out")]
for name, want in [("a0 M a0 = h, the motion without constraints", "1 -2"), ("d b - A a0", "-1")]:
    assert lines[lines.index(name) + 2] == want, lines
assert lines[lines.index("D A M^-1 A^T") + 2] == "c1 1", lines
P
zwang least p.json --json
is 0
is_json
json_is is_minimum false
json_is G 0.5
json_is 'a0[1]' -2
zwang least p.json --order q1
is 2
says "the recursion needs a root of M, and M is indefinite"
zwang least p.json --formulation bellman
is 2
says "it needs a minimum" "auto, gibbs-appell, lagrange and geometric do without"
zwang least p.json --letters ku93
is 0
prints "residual of D q'' = g" "Q'  D^T lambda"

# no rows
echo '{"M": [[2]], "h": [4]}' >p.json
zwang least p.json --show all
is 0
prints "rank 0"
# without a file
zwang least
is 2
says "which problem? write: zwang least PROBLEM.json"
done_well
