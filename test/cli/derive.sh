#!/usr/bin/env bash
# zwang derive: what it prints, in three forms, and what it refuses.
. "$(dirname "$0")/lib.bash"
golden=$root/test/golden/derive

# ---- text: pages that a person has read ----
# After a change that makes them better: for f in pendulum ...; do zwang derive -q examples/$f.zw >test/golden/derive/$f.txt; done
for name in pendulum knife-edge double-pendulum torus-geodesic quasi; do
  if [ -e "$root/examples/$name.zw" ]; then cp "$root/examples/$name.zw" .; else cp "$golden/$name.zw" .; fi
  zwang derive $name.zw --quiet
  is 0
  says_nothing
  diff out "$golden/$name.txt" >difference || { cat difference >&2; fail "$name is not as it was"; }
done
prints "m*slide'/(1 + y^2) - m*y*turn*slide/(1 + y^2)^2 = 0"

# ---- docs/derive.md: each page, or part of one, belongs to the model above it ----
awk '
  !inside && /^```zw$/          { inside = 1; file = ++number ".doc.zw"; next }
  !inside && /^```derive$/      { inside = 1; file = number ".whole"; next }
  !inside && /^```derive-part$/ { inside = 1; file = number ".part"; next }
  !inside && /^```derive-explicit$/ { inside = 1; file = "1.explicit"; next } # of the first model
  /^```$/                       { inside = 0; next }
  inside                        { print > file }' "$root/docs/derive.md"
exists 1.doc.zw 1.whole 2.doc.zw 2.part
zwang derive 1.doc.zw
is 0
cmp -s out 1.whole || fail "docs/derive.md shows another page"
zwang derive 2.doc.zw
is 0
first=$(head -n 1 2.part)
grep -nFx -- "$first" out >/dev/null || fail "docs/derive.md shows another heading"
awk -v first="$first" -v lines="$(wc -l <2.part)" '$0 == first { on = 1 } on && lines-- > 0' out >shown
cmp -s shown 2.part || fail "docs/derive.md shows other equations"
zwang derive 1.doc.zw --explicit
is 0
awk -v first="$(head -n 1 1.explicit)" -v lines="$(wc -l <1.explicit)" '$0 == first { on = 1 } on && lines-- > 0' out >shown
cmp -s shown 1.explicit || fail "docs/derive.md shows other explicit equations"
rm -f ./*.part ./*.whole ./*.explicit ./*.doc.zw

# no line of any example is wider than a page, and none is missing
for file in "$root"/examples/*.zw; do
  zwang derive "$file" --quiet
  is 0
  wide=$(awk '{ gsub(/[\200-\277]/, ""); if (length($0) > 100) n++ } END { print n + 0 }' out)
  [ "$wide" = 0 ] || fail "$wide lines are wider than 100 columns"
done

# the Gibbs function whole, however many coordinates there are: a sum over the blocks of M
zwang derive "$root/examples/slider-crank.zw"
is 0
prints "G0 = 1/2*(m1 + m2 + m3)*g^2"
zwang derive "$root/examples/dominoes.zw"
is 0
prints "G0 = 3*(gravity.x^2 + gravity.y^2)*m"
zwang derive "$root/test/papers/shown/angles.zw"
is 0
prints "G0 = " "Steps" "  u1 = "
zwang derive "$root/examples/n-pendulum.zw"
is 0
prints "G0, its part without accelerations, is not printed: M has no inverse, so it is not defined."

# --set changes the values, not the formulas
zwang derive pendulum.zw --set l=3
is 0
prints "l = 3" "x^2 + y^2 - l^2 = 0"

# ---- a file in place of standard output ----
zwang derive pendulum.zw --output page.txt
is 0
prints_nothing
cmp -s page.txt "$golden/pendulum.txt" || fail "the file is not what is printed"
absent page.txt.part
zwang derive pendulum.zw -o page.txt
is 0
zwang derive pendulum.zw -o pendulum.zw
is 2
says "would overwrite a file the model is made from"
cmp -s pendulum.zw "$root/examples/pendulum.zw" || fail "the model is lost"
zwang derive pendulum.zw -o nowhere/page.txt
is 2
says "the output folder 'nowhere' cannot be used"

# ---- JSON ----
zwang derive knife-edge.zw --json
is 0
is_json
json_has zwang schema status file errors notes n m parameters coordinates L M h Q constraints G where
json_is status ok
json_is schema 1
json_is n 3
json_is m 1
json_is 'L' "1/2*m*(x'^2 + y'^2) + 1/2*J*ph'^2 + m*g*x*sin(alpha)"
json_is 'constraints[0].name' edge
json_is 'constraints[0].level' velocity
json_is 'constraints[0].differentiations' 1
json_is 'constraints[0].b' "-ph'*(cos(ph)*x' + sin(ph)*y')"
json_is 'constraints[0].row[0].column' x
json_is 'constraints[0].row[0].value' 'sin(ph)'
zwang derive quasi.zw --json
is 0
is_json
json_is 'quasi.names[1]' slide
json_is 'quasi.equations[0].value' "m*turn' = -turn"
zwang derive torus-geodesic.zw --json
is_json
json_is christoffel.kind second
zwang derive missing.zw --json
is 2
is_json
json_is status refused
zwang derive pendulum.zw --json -o page.json
is 0
prints_nothing
cp page.json out
is_json

# ---- the equations solved ----
# BG99 (45), in the form of the paper: over one denominator
cp "$root/test/papers/data/bg99_pendulum.zw" "$root/test/papers/data/u96_twice.zw" "$root/test/papers/data/ku93_track.zw" .
zwang derive bg99_pendulum.zw --explicit
is 0
prints "lambda[rod] = m*s1/(x1^2 + x2^2)" "x2'' = -(g*x1^2 + x2*(x1'^2 + x2'^2))/(x1^2 + x2^2)" "s1 = g*x2 - x1'^2 - x2'^2" "Valid where"
zwang derive bg99_pendulum.zw --explicit --json
is_json
json_is 'explicit.rows[0]' rod
json_is 'explicit.valid[1]' "(x1^2 + x2^2)/m"
# U96 (42), (43): one row stated twice
zwang derive u96_twice.zw --explicit
is 0
prints "independent rows J: one" "E[two, one] = 2" "W[one, two] = W[two, one] = -2/5" "lambda[two] = 2/5*m*s2/s1" "Qc[x] = m*x'*s2/s1"
# fractions of rows that repeat others, without rounding (1 - 9/10); numbers of the model as they were typed
printf '%s\n' 'param m = 2' 'coord x, y' "kinetic 1/2*m*(x'^2 + y'^2)" 'force x = 9.81*m' 'constraint a: x + y = 0' 'constraint b: 3*(x + y) = 0' 'run 0 .. 1' >three.zw
zwang derive three.zw --explicit
is 0
prints "W[a, a] = 9/10" "W[a, b] = W[b, a] = -3/10" "W[b, b] = 1/10" "lambda[b] = -1.4715*m" "x'' = 4.905"
# a partition that is named is shown; z cannot be the only one if x and y move alone
zwang derive u96_twice.zw --eliminate z
is 0
prints "dependent, ae: z; independent, ai: x, y" "R[z, x] = -x'/z'" "K[x, y] = K[y, x] = m*x'*y'/z'^2"
zwang derive u96_twice.zw --eliminate x,y
is 2
says "--eliminate: it names 2 coordinates, but 1 constraint is independent: name as many coordinates"
zwang derive ku93_track.zw --eliminate w
is 2
says "'w'"
zwang derive ku93_track.zw --eliminate x,x
is 2
printf '%s\n' 'coord x, y' "kinetic 1/2*(x'^2 + y'^2)" "constraint c: x' = 1" 'run 0 .. 1' >line.zw
zwang derive line.zw --eliminate y
is 2
says "--eliminate: the constraints do not determine y''; name another coordinate"
# BG99 (41) to (44), and U96's in every order
zwang derive bg99_pendulum.zw --bellman
is 0
prints "R_1[rod, rod] = m/x1^2" "beta_2[rod] = sqrt(m)*x2/x1^2" "kappa_2[rod] = sqrt(m)*x2/(x1^2 + x2^2)" "R_2[rod, rod] = m/(x1^2 + x2^2)" \
  "x1'' = -(x1'^2 + x2'^2 + x2*x2'')/x1"
zwang derive u96_twice.zw --order y,x,z
is 0
prints "columns in the order y, x, z" "R_1[one, one] = m/(25*y'^2)" "kappa_3[one] ="
zwang derive line.zw --order y
is 2
says "--order: the constraints do not determine y''; name another coordinate"
printf '%s\n' 'coord x, y, z' "kinetic 1/2*(x'^2 + y'^2 + z'^2)" "constraint c: x' + y' = 1" "constraint d: z' = 1" 'run 0 .. 1' >two.zw
zwang derive two.zw --eliminate x,y
is 2
says "--eliminate: the constraints do not determine y'' beside the accelerations named before it; name another coordinate"
printf '%s\n' 'coord x' "kinetic 1/2*x'^2" 'run 0 .. 1' >free.zw
zwang derive free.zw --eliminate x
is 2
says "--eliminate: the model has no constraints, so no acceleration depends on the others"
zwang derive pendulum.zw --all
is 0
prints "Multipliers, D lambda = d" "Explicit equations of Gibbs and Appell" "Recursion of Bellman"
# fractions are one: a fifth of a half is a tenth
zwang derive "$root/examples/appell.zw" --explicit
is 0
prints "lambda[again] = -m*g*z'/(5*s1)"
printf '%s\n' 'param m = 2, X = 0.4' 'coord x = 0.5, y = 0.2, z = 0.1' "kinetic 1/2*m*(x'^2 + y'^2 + z'^2*(1 + x^2))" \
  "constraint c: x'^2 + y'^2 - (1 + X*t)*z'^2 = 1/10" "constraint c2: 2*(x'^2 + y'^2 - (1 + X*t)*z'^2) = 1/5" \
  "start x' = 0.9, y' = 0.5, z' = 1" 'run 0 .. 1' >fifth.zw
zwang derive fifth.zw --bellman
is 0
prints "beta_3[c] = -m*z'*(1 + X*t)/(10*"
# KU93 (41), (42) in its letters
zwang derive ku93_track.zw --explicit --letters ku93
is 0
prints "A[x, x] = m" "D[track, x] = 1" "D[track, y] = -t" "g[track] = 1/2*cos(t) + y'" "Q'[x] = (t*(1 + x*x') - 2 + y + m*(1/2*cos(t) + y'))/(1 + t^2)" \
  "Constraints, brought to D q'' = g" "Force of the constraints, Q' = D^T lambda"
zwang derive ku93_track.zw --explicit --letters ku93 --latex
is 0
prints '\ddot q' "Force of the constraints, \$Q' = D^"
for paper in uk98 bg99 ku93 l96 u96; do
  zwang derive u96_twice.zw --all --letters $paper
  is 0
  if grep -qE '^\(.*\) = |\(\(.*\)\) = ' out; then fail "brackets around what is defined, under $paper"; fi
done
zwang derive u96_twice.zw --explicit --letters l96 --latex
is 0
prints '$\lambda = \hat\beta^{\mathsf T}\mu$'
# the Gaussian of BG99, KU93 and L96 has no 1/2; the Gibbs function of a model is none
for paper in uk98 bg99 ku93 l96 u96; do
  zwang derive u96_twice.zw --bellman --letters $paper
  is 0
  prints "Gibbs function G = 1/2"
  tr -s '\n ' ' ' <out >words.txt
  case $paper in
    bg99 | ku93 | l96) grep -q "is the least G when" words.txt || fail "the least 2 G in the letters of $paper" ;;
    *) grep -q "is the least 2 G when" words.txt || fail "the least G in the letters of $paper" ;;
  esac
done
zwang derive u96_twice.zw --bellman --letters bg99 --latex
is 0
prints 'is the least $G$ when'
# the table of docs/papers.md is that of the program, for the letters that the page explains
column=4
for paper in uk98 bg99 ku93 l96 u96; do
  zwang derive u96_twice.zw --letters $paper
  is 0
  sed -n "/^Letters of $paper/,/^\$/p" out | tail -n +2 | tr -s '\n ' ' ' | sed 's/^ //; s/ $//; s/, /\n/g' | sed 's/^(\(.*\)) for/\1 for/' | sort >program.txt
  for letter in M h A b a0 a Q Qc lambda "2 G"; do
    awk -F ' *[|] *' -v letter="\`$letter\`" -v column=$column '$2 == letter && $column != "" { gsub("`", "", $2); print $column " for " $2 }' \
      "$root/docs/papers.md"
  done | sort >docs.txt
  checks=$((checks + 1))
  diff docs.txt program.txt || fail "docs/papers.md has other letters of $paper than the program"
  [ -s docs.txt ] || fail "no letters of $paper"
  column=$((column + 1))
done
zwang derive u96_twice.zw --partition --letters u96
is 0
prints "S(x''_I) = 1/2 x''^T M x'', dS/dx''_I = P"
zwang derive ku93_track.zw --letters none
is 2
says "--letters knows uk98, bg99, ku93, l96, u96 and ours, not 'none'"
zwang compare ku93_track.zw --at 1 --show forces --letters ku93
is 0
prints "Q'_b  its part linear in g" "G/2 = 0.15921"
zwang compare ku93_track.zw --at 1 --show forces
is 0
prints "Qc_b  its part linear in b" "G = 0.15921"
# no inverse of M: s has no mass
printf '%s\n' 'coord x = 1, s = 2' "kinetic 1/2*x'^2" 'potential x' 'constraint read: s = 2*x' 'run 0 .. 1' >massless.zw
zwang derive massless.zw --explicit
is 0
prints "M has no inverse. By the constraints these accelerations depend on the others: s" "s'' = -2" "lambda[read] = 0" \
  "Multipliers, A^T lambda = M a - h" "It is not printed: M has no inverse; zwang compare --show inverses"
printf '%s\n' 'coord x = 1, s = 2' "kinetic 1/2*x'^2" 'potential x' 'constraint read: s = 2*x' 'constraint twice: 2*s = 4*x' 'run 0 .. 1' >massless.zw
zwang derive massless.zw --explicit
is 0
prints "Multipliers, the smallest: A^T lambda = M a - h"
# without constraints there is neither D nor Qc
zwang derive double-pendulum.zw --explicit
is 0
prints "Accelerations, a = M^-1 h" "Valid where none of these is 0: the determinant of M, or the pivots"
# random states on another branch of the constraints, where two joints coincide and rows repeat, decide nothing
cp "$root/examples/peaucellier.zw" "$root/examples/knife-edge.zw" "$root/examples/bennett.zw" .
zwang derive peaucellier.zw --explicit
is 0
prints "Accelerations, a = M^-1 (h + Qc)" \
  "It is not printed: beyond 4 independent constraints its entries are too long for a page; zwang"
zwang derive peaucellier.zw --explicit --json
is 0
is_json
json_is 'explicit.gain_missing' "beyond 4 independent constraints its entries are too long for a page"
# seven rows: the dependent accelerations follow in steps
zwang derive peaucellier.zw --partition --json
is 0
is_json
json_is 'partition.i[0]' D.r.y
json_has_not() { if grep -q "$1" out; then fail "there is $1"; fi; }
json_has_not '"missing"'
# masses of 1e-6 and 1e6 in one matrix: M has an inverse
printf '%s\n' 'param m1 = 1e-6, m2 = 1e6' 'coord x, y' "kinetic 1/2*m1*x'^2 + 1/2*m2*(x' + y')^2" 'potential x' 'run 0 .. 1' >apart.zw
zwang derive apart.zw --explicit
is 0
prints "x'' = -1/m1" "y'' = 1/m1"
# six coordinates of no diagonal inertia: pivots may stand beside the diagonal
printf '%s\n' 'coord a = 1, b = 1, c, d, e, f' "kinetic (1 + a^2)*a'*b' + c'*d' + e'*f' + a'*d' + c'*f'" 'potential a + 2*c + 3*e + f^2' 'run 0 .. 1' >beside.zw
zwang derive beside.zw --explicit
is 0
prints "Accelerations, a = M^-1 h"
# what is chosen serves at the start: there the blade determines y'', not x''
zwang derive knife-edge.zw --partition
is 0
prints "dependent, ae: y"
# rows in shares that change: the multipliers are those of J
zwang derive bennett.zw --explicit
is 0
prints "E is not printed: the shares that rows have in others change with the state." \
  "Multipliers of the rows J, those of the others being 0: D lambda = d" "lambda[fourth.axis.y] = 0"
# a formula that is too large to be read is written in parts: none is left out
zwang derive bennett.zw --all --json
is 0
is_json
json_has_not ' operations)'
# names of steps have one form, however many eliminations and blocks there are
json_has_not '"name":"u_'
json_has_not '"name":"detM_'
cp "$root/examples/heavy-top.zw" .
zwang derive heavy-top.zw --explicit --json
is 0
json_has_not '"name":"cD_'
# a chain takes as many steps as links: no formula is too long
cp "$root/examples/n-pendulum.zw" chain.zw
for links in 10 20; do
  zwang derive chain.zw --set N=$links --explicit --json
  is 0
  is_json
  grep -o '"name":"u[0-9]*"' out | wc -l >steps.$links
done
awk -v a="$(cat steps.10)" -v b="$(cat steps.20)" 'BEGIN { exit !(a > 0 && b < 2.3*a) }' || fail "the steps of a chain do not grow as its links"

# so does its partition: R and the dependent accelerations go from link to link, and K is short beside them
for links in 5 10 20; do
  zwang derive chain.zw --set N=$links --partition --json
  is 0
  is_json
  grep -o '"name":"[a-z]*[0-9]*"' out | sort -u | wc -l >steps.$links
done
awk -v a="$(cat steps.5)" -v b="$(cat steps.10)" -v c="$(cat steps.20)" 'BEGIN { exit !(a > 0 && b < 2.3*a && c < 2.3*b) }' ||
  fail "the steps of a partition of a chain do not grow as its links: $(cat steps.5 steps.10 steps.20)"
zwang derive chain.zw --set N=10 --partition
is 0
prints "R[P[2].x, P[1].y] = u4" "R[P[10].x, P[1].y] = u4" "K[P[1].y, P[1].y] = (1 + u1^2 + 9*u4^2)*m" "ae by ai, one after the other in the steps" \
  "P[10].x'' = u39" "S = 1/2*(u3^2 + u7^2 + u11^2"

# ---- LaTeX ----
# Balanced brackets and environments, no underscore outside of formulas, nothing beyond what inputenc knows.
check_latex() {
  checks=$((checks + 1))
  awk '
    function fail(why) { print FILENAME ":" NR ": " why ": " $0; bad = 1 }
    { line = $0; sub(/^%.*/, "", line); gsub(/\\[%{}_#$&\\]/, "", line) }
    line ~ /\\begin\{/ { name = line; sub(/.*\\begin\{/, "", name); sub(/\}.*/, "", name); stack[++depth] = name }
    line ~ /\\end\{/ {
      name = line; sub(/.*\\end\{/, "", name); sub(/\}.*/, "", name)
      if (stack[depth] != name) fail("an end without its begin"); depth--
    }
    {
      for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "{") open++
        if (c == "}" && --open < 0) fail("a bracket too many")
        if (c == "$") math = !math
        if ((c == "_" || c == "^") && !math && stack[depth] != "align*") fail("outside of a formula")
      }
      if (math) fail("a formula that does not end")
      if (length(line) > 2000) fail("a very long line")
    }
    END { if (depth || open) { print "not closed"; bad = 1 } exit bad }' "$1" || fail "$1 is no LaTeX"
  head -n 2 "$1" | grep -q documentclass || fail "$1 is no document"
  tail -n 1 "$1" | grep -qF '\end{document}' || fail "$1 does not end"
}
model letters <<'E'
param m_long_name = 3, höhe = 1, 质 = 2, c = 1e-7, s1 = 2
coord φ = 1, x_1, angle[1..2]
kinetic 1/2*m_long_name*(φ'^2 + x_1'^2)*höhe + 1/2*质*(angle[1]'^2 + angle[2]'^2)*cos(angle[1] - φ)^2
potential (if φ > 0 then φ^2 else abs(φ)) + max(x_1, 2)*mod(φ, 2) + floor(x_1) + (1 + x_1^2)^(1/3) + 2^φ + tan(φ)^2*s1
force angle[2] = -sign(angle[2]')*c*sqrt(1 + x_1^2)
constraint a_b: x_1 = φ*1e10
E
number=0
for file in "$root"/examples/*.zw letters.zw quasi.zw; do
  name=$(basename "$file" .zw)
  number=$((number + 1))
  # sanitizers look at lines of code: for them every fourth example
  if [ "${ZWANG_BUILD_TYPE:-Release}" != Release ] && [ -f "$root/examples/$name.zw" ] && [ $((number % 4)) != 0 ]; then continue; fi
  zwang derive "$file" --latex --quiet --output "$name.tex"
  is 0
  check_latex "$name.tex"
  case $name in bennett | rssr | stewart | rattleback) continue ;; esac # long, and nothing new in them
  # TeX is at work here, once is enough: not for programs with sanitizers, which write the same
  if [ "${ZWANG_BUILD_TYPE:-Release}" = Release ] && command -v pdflatex >/dev/null && kpsewhich amsmath.sty >/dev/null; then
    checks=$((checks + 1))
    pdflatex -interaction=nonstopmode -halt-on-error "$name.tex" >latex.log 2>&1 || { tail -n 30 latex.log >&2; fail "$name.tex does not compile"; }
    [ -s "$name.pdf" ] || fail "$name.pdf is not there"
  fi
done
grep -qF '\dot{\varphi{}}' letters.tex || fail "phi is not a letter"
grep -qF '\mathrm{angle}_{1}' letters.tex || fail "an index is not a subscript"

# ---- large models: one term of each shape, at once ----
model chain <<'E'
param N = 20000, m = 1, l = 1, g = 9.81
coord x[1..N], y[1..N]
for i in 1..N {
  kinetic   1/2*m*(x[i]'^2 + y[i]'^2)
  potential m*g*y[i]
}
constraint pin: x[1]^2 + y[1]^2 = l^2
for i in 2..N {
  constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2
}
E
zwang derive chain.zw
is 0
prints "40000 coordinates and 20000 constraints are too many for a page" "Constraint, 19999 terms of this shape" \
  "A[link[2], x[1]] = 2*(x[1] - x[2])" "M[x[1], x[1]] = m"
[ "$(wc -l <out)" -lt 60 ] || fail "the page grows with the chain"
zwang derive chain.zw --json
is 0
is_json
json_is 'shapes[3].count' 19999
zwang derive chain.zw --set N=15
is 0
prints "M[x[15], x[15]] = m"

# a formula that would fill a library as a tree is named and cut, not written out
{
  echo "coord x = 1, y"
  echo "let a0 = x + sin(y)"
  for ((i = 1; i <= 60; i++)); do echo "let a$i = a$((i - 1))*sin(a$((i - 1))) + a$((i - 1))*y"; done
  echo "kinetic 1/2*(x'^2 + y'^2)"
  echo "potential a60"
} >deep.zw
zwang derive deep.zw
is 0
[ "$(wc -c <out)" -lt 1000000 ] || fail "$(wc -c <out) bytes"

# ---- wrong commands and wrong models ----
zwang derive
is 2
says "which model? write: zwang derive FILE"
zwang derive missing.zw
is 2
says "missing.zw"
prints_nothing
zwang derive pendulum.zw --to 3
is 2
says "'zwang derive' has no option '--to'"
zwang run pendulum.zw --latex
is 2
says "'zwang run' has no option '--latex'"
zwang derive pendulum.zw --latex --json
is 2
says "--json or --latex, not both"
zwang derive pendulum.zw --latx
is 2
says "did you mean '--latex'?"
zwang derive pendulum.zw -o
is 2
says "-o needs a value"
echo "coord x; kinetic 1/2*m*x'^2" >wrong.zw
zwang derive wrong.zw
is 2
says "wrong.zw:1:22: error:"
prints_nothing
zwang derive wrong.zw -o page.tex
is 2
absent page.tex

# what the model states and the equations do not hold is said
model ball <<'E'
coord y = 1
kinetic 1/2*y'^2
potential 9.81*y
contact floor: y >= 0
E
zwang derive ball.zw
is 0
prints "Contacts, one-sided rows" "y >= 0" "A[floor, y] = 1" "b[floor] = 0" "restitution[floor] = 0"
model slide <<'E'
param mu = 0.3, r = 0.1
coord x, y = 1
kinetic 1/2*(x'^2 + y'^2)
contact floor: y >= r, restitution 0.5, friction mu, slip x
E
zwang derive slide.zw --json
is 0
is_json
json_is 'contacts[0].name' floor
json_is 'contacts[0].gap' "y - r >= 0"
json_is 'contacts[0].restitution' 1/2
json_is 'contacts[0].friction' mu
json_is 'contacts[1].slip' "x'"
json_is 'contacts[1].row[0].value' 1

# KU93 (10): what of the kinetic energy is linear in the velocities, and what is without
model turning <<'E'
param w = 2
coord x = 1, y
lagrangian 1/2*((x' - w*y)^2 + (y' + w*x)^2)
E
zwang derive turning.zw
is 0
prints "L = 1/2 v^T M v + p0^T v + T0, without zeros" "p0[x] = -w*y" "p0[y] = w*x" "T0 = 1/2*w^2*(x^2 + y^2)" "h[x] = w*(w*x + 2*y')"

# nothing but parameters, nothing that moves
model empty <<'E'
param a = 2
E
zwang derive empty.zw
[ "$status" = 0 ] || [ "$status" = 2 ] || fail "a model without coordinates"

# where solved equations are valid, also where M has no inverse
zwang derive bg99_pendulum.zw --partition --json
is 0
is_json
json_is 'partition.valid[0]' x1
zwang derive bg99_pendulum.zw --bellman --json
is_json
json_is 'bellman.valid[0]' x1
model halved <<'E'
coord r = 0.4, z = 0.6
kinetic r'^2/2
potential r^2/2
constraint c: z'^2 - r' = 0.5
start r' = 0.5, z' = 1
E
zwang derive halved.zw --explicit --json
is 0
is_json
json_is 'explicit.valid[0]' "2*z'"
# a coordinate that is called as a part of the Gibbs function is
model named <<'E'
param k = 3
coord x = 1, G0 = 0.2
kinetic 1/2*x'^2 + 1/2*G0'^2
potential 1/2*k*x^2
E
zwang derive named.zw
prints "+ k*x*x'' + G_rest" "G_rest = 1/2*k^2*x^2"
for paper in uk98 ku93 u96; do
  zwang derive bg99_pendulum.zw --letters $paper
  grep -q 'Without constraints dG/d[xq].. = ' out || fail "a derivative in the letters of $paper"
done
zwang derive bg99_pendulum.zw --letters ku93 --json
is 2
says "--letters names quantities in formulas, and --json keeps their names"

zwang help derive
is 0
prints --latex --json --output -o --set
done_well
