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
prints "by the inverse that is stated" "lambda = G d: -1.804 0.792" "W  1 - A A^+"

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
refused "C G C = C fails: it is off by 0.0" 'p["inverse14"][0][0] += 0.1' inverse14
refused "(G C)^T = G C fails" 'p["inverse14"] = [[1/r, 0] for r in (0.4242640687119285*3, 0.565685424949238*3, -0.7071067811865476*3)]; p["inverse14"][0][0] *= 2; p["inverse14"][1][0] *= 0.5; p["inverse14"][2][0] *= 0.5' inverse14
refused "D G D = D fails" 'p["inverse1"][0][0] += 0.1' inverse1
refused "A G A = A fails" 'p["A_inverse1"][0][0] += 0.1' A_inverse1
refused "fails" 'p["H_inverse13"][0][0] += 0.1' H_inverse13 A_inverse1
refused "cannot both be the inverse" '' inverse1 inverse14
refused "'inverse1' needs 2 rows of 2 numbers" 'p["inverse1"] = [[1]]' inverse1
refused "'A' needs 3 numbers in each row" 'p["A"][1] = [1]'
refused "'M' needs 3 rows of 3 numbers" 'p["M"].pop()'
refused "'M' is missing" 'del p["M"]'
refused "'h' needs a list" 'del p["h"]'
refused "'b': entry 1 of a row is no finite number" 'p["b"][0] = "x"'
refused "M is not symmetric" 'p["M"][0][1] = 1'
refused "the constraints contradict each other" 'p["b"][0] = 1'
refused "M has no inverse" 'p["M"][0][0] = 0' inverse1

# what is no problem file
for text in '{"M": [[NaN]]}' '{' '[1]' ''; do
  echo "$text" >p.json
  zwang least p.json
  is 2
  grep -qE "p.json:[12]:[0-9]+: " err || fail "no place is told"
done
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
