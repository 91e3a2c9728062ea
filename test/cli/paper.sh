#!/usr/bin/env bash
# zwang paper: the list, the walk through each paper, its forms, and what is refused.
. "$(dirname "$0")/lib.bash"

# ---- the list ----
zwang paper
is 0
prints "5 papers, 6 examples" "uk98" "bg99" "ku93" "l96" "u96"
zwang paper --json
is 0
is_json
json_is 'papers[0].name' bg99

# ---- all five, at the starts of their examples and at random states ----
count_of() { sed -n 's/^\([0-9]*\) equations.*/\1/p' out; }
below() { # the worst difference at the end of the page
  awk -v most="$1" '/equations.*worst relative difference/ { seen = 1; if ($NF + 0 >= most) bad = 1 } END { exit !seen || bad }' out ||
    fail "the worst difference is not below $1"
}
total=0
for name in uk98 bg99 ku93 l96 u96; do
  zwang paper $name
  is 0
  says_nothing
  below 1e-12
  total=$((total + $(count_of)))
  grep -q "not evaluated" out && fail "$name has an equation that is not evaluated"
  awk '{ gsub(/[\200-\277]/, ""); if (length($0) > 100) n++ } END { exit n > 0 }' out || fail "a line of $name is wider than a page"
  zwang paper $name --random 100
  is 0
  below 1e-12
  prints "at 101 states"
done
[ "$total" -ge 250 ] || fail "only $total equations"
zwang paper l96
prints "not yet: "
zwang paper u96
prints "(36)" "(42)" "(43)"

# ---- other states ----
zwang paper u96 --at 0.5
is 0
below 1e-12
# a time that no example has is refused; one that some have is taken there, and the others are named
for at in 100 -1; do
  zwang paper u96 --at $at
  is 2
  prints_nothing
  says "zwang: error: --at $at is not within the run of any example of u96: two-particles 0.523599 .. 6, u96-cone 0 .. 2"
  zwang paper u96 --at $at -o late.txt
  is 2
done
absent late.txt
zwang paper u96 --at 100 --json
is 2
is_json
json_is status refused
zwang paper u96 --at 3
is 0
below 1e-12
prints "Looked at where they start, since they do not run at the time of --at: u96-cone (0 .. 2)."
zwang paper u96 --at 3 --json
is 0
prints '"at_start":["u96-cone"]'
zwang paper u96 --at 1
is 0
grep -q "Looked at where" out && fail "all examples run at 1"
zwang paper bg99 --set g=1.62 --set m=3
is 0
zwang paper bg99 --set none=1
is 2
says "no model of bg99 has a parameter 'none' to set"
# parameters that leave an equation without a value: no page
zwang paper bg99 --set g=1e300
is 2
prints_nothing
says "bg99 1 has no finite value on one side of '2*G == dot(a - a0, M*(a - a0))'; give --set other values"
for form in --quiet --latex "-o none.txt"; do
  # shellcheck disable=SC2086 # words
  zwang paper bg99 --set l=0 $form
  is 2
  prints_nothing
  says "bg99 34 has no finite value on one side of"
done
absent none.txt
zwang paper bg99 --set l=0 --json
is 2
is_json
json_is status refused
# other units: what cancels is no difference
for m in 1e-6 1e6; do
  for name in bg99 ku93 l96 u96; do
    zwang paper $name --set m=$m --random 50
    is 0
    below 1e-12
  done
  for name in uk98 u96; do
    zwang paper $name --set m1=$m --random 30
    is 0
    below 1e-9
  done
done
zwang paper bg99 --random 2.5
is 2
says "--random needs a whole number"

# ---- options that would say nothing ----
for options in "--model" "--latex" "--set m=1" "--at 0" "--letters ku93" "--random 3" "-o page.txt"; do
  # shellcheck disable=SC2086 # words
  zwang paper $options
  is 2
  says "is about one paper; write its name, as in: zwang paper uk98"
  prints_nothing
  # shellcheck disable=SC2086
  zwang paper $options --json
  is 2
  is_json
done
absent page.txt
zwang paper --quiet
is 0
prints_nothing
for options in "--json" "--latex" "--set m=1" "--at 0" "--letters ku93" "--random 3" "-o page.txt"; do
  # shellcheck disable=SC2086
  zwang paper u96 --model $options
  is 2
done
absent page.txt
zwang paper u96 --at 0,1
is 2
says "--at needs one time here, and 2 were given"

# ---- forms ----
zwang paper ku93 --letters ku93
is 0
prints "ours    D"
for name in uk98 bg99 ku93 l96 u96; do
  for paper in uk98 bg99 ku93 l96 u96 ours; do
    zwang paper $name --letters $paper
    is 0
    prints "worst relative difference"
  done
done
zwang paper ku93 --letters none
is 2
zwang paper ku93 --letters ku93 --json
is 2
says "--letters names quantities in formulas, and --json keeps their names; leave one of them out"
for command in "paper ku93" "derive $root/examples/ku93-plane.zw" "run $root/examples/ku93-plane.zw"; do
  # shellcheck disable=SC2086 # words
  zwang $command -o nowhere/x.csv
  is 2
  says "the output folder 'nowhere' cannot be used: No such file or directory"
  prints_nothing
done
# the Gaussian of the paper, a d that differentiates, and nothing equal to itself
zwang paper bg99 --letters bg99
is 0
prints "ours    G = y^T y" "ours    G(x'') = (x'' - a)^T M (x'' - a)" "G = d^T R_n d" "ours    G = m (x1''^2 + (x2'' + g)^2)"
zwang paper ku93 --letters ku93
is 0
prints "ours    G = Q'^T A^-1 Q'" "ours    G = ||H H+ z - z||^2"
grep -q "A^-1 (Q - f) = A^-1 (Q - f)" out && fail "a0 is said to equal itself"
zwang paper l96 --letters ku93
is 0
prints "ours    d/dt (t, q, v) = (1, v, q'')" "(dj/dt) v + d(qb_t)/dt" "ours    G(q'') = (q'' - (A^-1 (Q - f)))^T A"
zwang paper l96 --letters uk98
is 0
prints "ours    d/dt (t, q, v) = (1, v, x'')"
zwang paper bg99 --letters u96
is 0
grep -q "b - A a = b - A a" out && fail "d is said to equal itself"
zwang paper bg99 --model
is 0
prints "constraint rod:" "claim"
zwang paper ku93 --json
is 0
is_json
json_is status ok
json_is paper ku93
json_has equations count worst
zwang paper ku93 --latex
is 0
prints '\begin{document}' '\end{document}' '\textit{paper:} $\ddot{q} = A^{-1}\,(' '\textit{left:} $(' '\textit{right:} $(' '\textit{off by:} $'
grep -q texttt out && fail "formulas in typewriter letters"
zwang paper ku93 --latex --letters ku93
is 0
prints '\textit{ours:} $D\,\ddot{q} = g$'
if [ "${ZWANG_BUILD_TYPE:-Release}" = Release ] && command -v pdflatex >/dev/null && kpsewhich amsmath.sty >/dev/null; then
  for name in uk98 bg99 ku93 l96 u96; do
    zwang paper $name --latex -o $name.tex
    is 0
    checks=$((checks + 1))
    pdflatex -interaction=nonstopmode -halt-on-error $name.tex >latex.log 2>&1 || { tail -n 30 latex.log >&2; fail "$name.tex does not compile"; }
  done
fi
zwang paper ku93 -o page.txt
is 0
prints_nothing
zwang paper ku93
cmp -s out page.txt || fail "the file is not what is printed"
zwang paper ku93 -o page.txt
is 0
echo mine >own.txt
zwang paper ku93 -o own.txt
is 2
[ "$(cat own.txt)" = mine ] || fail "a file of the user was replaced"

# ---- docs/papers: what the command prints, but for numbers, which differ between machines ----
without_numbers() {
  sed -E '/^ *(left|right|off by) /s/-?[0-9][0-9.]*(e[-+][0-9]+)?/#/g; s/^ +-?[0-9][-0-9.,; e]*[]]$/#/; s/(worst relative difference) .*/\1/' "$1" |
    awk '{ $1 = $1 } /#/ { printf "%s ", $0; next } { print }' | sed 's/#[],;# []*/#/g'
}
last=tools/papers.sh
ZWANG=$ZWANG "$root/tools/papers.sh" made || fail "the pages cannot be made"
for page in "$root"/docs/papers/*.md; do
  checks=$((checks + 1))
  diff <(without_numbers "$page") <(without_numbers "made/$(basename "$page")") >out || fail "$page is not what 'make papers' writes"
done
[ "$(ls made | wc -l)" = "$(ls "$root/docs/papers" | wc -l)" ] || fail "docs/papers has other pages"

# ---- mistakes ----
zwang paper xy
is 2
says "there is no paper 'xy'" "uk98"
zwang paper uk98 u96
is 2
says "one paper at a time"
zwang paper uk98 --json --latex
is 2
done_well
