#!/usr/bin/env bash
# Limits: what is too large, too deep or too long is refused soon, and the message says which limit it was.
. "$(dirname "$0")/lib.bash"

# soon SECONDS ARGUMENTS...: the program, which must be done by then; seconds of the processor, four times as many because
# sanitizers make it slow. A busy machine takes longer, and no more of them.
soon() {
  local most=$1
  shift
  last="zwang $*"
  status=0
  (ulimit -S -t $((most * 4)) && exec "$ZWANG" "$@") >out 2>err || status=$?
  [ $status != 152 ] || fail "not done after $((most * 4)) s of the processor"
}
body="coord x
kinetic 1/2*x'^2"

# ---- loop passes, elements, calls ----

too_many() {
  model many
  soon 1 check many.zw
  is 2
  says "error: more than 20000000 elements, loop passes and calls in all" "raise the limit with --limit iterations=200000000"
}
too_many <<<"$body
for i in 1..20000001 { let a = i }"
too_many <<<"$body
for i in 1..100000, j in 1..100000 { let a = i + j }"
too_many <<<"param N = 1e6
$body
potential sum(i in 1..N, j in 1..N, k in 1..N: x)"
too_many <<<"coord x[1..100000000]"
too_many <<<"param a[1..10000, 1..10000] = 1
$body"
too_many <<<"component c(n) { for i in 1..n { let a = i } }
part p = c(1e9)
$body"
{
  echo "let f0(x) = x + t"
  for i in $(seq 1 60); do echo "let f$i(x) = f$((i - 1))(x) + f$((i - 1))(2*x)"; done
  echo "$body"
  echo "potential f60(x)"
} >many.zw
soon 20 check many.zw
is 2
says "more than 20000000 elements, loop passes and calls in all"
# raised and lowered
model some <<<"$body
for i in 1..1000 { let a = i }
run 0 .. 1"
zwang check some.zw --limit iterations=999
is 2
says "more than 999 elements, loop passes and calls in all"
zwang check some.zw --limit iterations=1000
is 0
for wrong in iterations iterations= iterations=many iterations=0 iterations=-3 speed=3 =3 iterations=1e99; do
  zwang check some.zw --limit "$wrong"
  is 2
  says "--limit knows memory=BYTES, iterations=NUMBER and nesting=NUMBER, not '$wrong'"
done
zwang check some.zw --limit
is 2
says "--limit needs a value"

# ---- depth ----

model itself <<<"let f(x) = f(x) + f(x)
$body
potential f(x)"
soon 1 check itself.zw
is 2
says "'f' uses itself"
model itself <<<"component c() { part p = c(); part q = c() }
part p = c()
$body"
soon 1 check itself.zw
is 2
says "'c' uses itself"
{
  echo "let f0(x) = x"
  for i in $(seq 1 120); do echo "let f$i(x) = f$((i - 1))(x)"; done
  echo "$body"
  echo "potential f120(x)"
} >deep.zw
soon 1 check deep.zw
is 2
says "functions and components within each other more than 100 deep"
# deep in functions and in brackets at the same time: more than either limit tells
deep() { # OPEN CLOSE COUNT
  echo "param p[1..1] = 1"
  echo "let f0(x) = x"
  local open close i
  open=$(yes "$1" | head -n "$3" | tr -d '\n')
  close=$(yes "$2" | head -n "$3" | tr -d '\n')
  for ((i = 1; i <= 98; i++)); do echo "let f$i(x) = ${open}f$((i - 1))(x)$close"; done
  echo "$body"
  echo "potential f98(1)"
}
deep "sin(" ")" 20 >deep.zw
soon 5 check deep.zw
is 0
too_deep() {
  deep "$@" >deep.zw
  soon 5 check deep.zw --limit nesting=2000
  is 2
  says "functions, parts and expressions within each other more than 2500 levels deep in all" "name parts of them with 'let'"
}
too_deep "sin(" ")" 900
too_deep "p[" "]" 900
too_deep "sum(i in 1..1: " ")" 900
too_deep "(if 1 < 2 then " " else 1)" 600
too_deep "diff(" ", x)" 900
too_deep "cross((" ", 1), (1, 2))" 400
too_deep "(if $(yes not | head -n 500 | tr '\n' ' ')" " < 1 then 1 else 2)" 1
{
  echo "component c0() { }"
  for ((i = 1; i <= 98; i++)); do
    echo "component c$i() { $(yes "if 1 < 2 { for i in 1..1 {" | head -n 300 | tr -d '\n') part p = c$((i - 1))()"
    echo "$(yes "} }" | head -n 300 | tr -d '\n') }"
  done
  echo "$body"
  echo "part p = c98()"
} >deep.zw
soon 5 check deep.zw --limit nesting=2000
is 2
says "functions, parts and expressions within each other more than 2500 levels deep in all"
nest() { # COUNT
  echo "$body"
  echo "potential $(printf '%*s' "$1" '' | tr ' ' '(')x$(printf '%*s' "$1" '' | tr ' ' ')')"
}
nest 300 >nest.zw
zwang check nest.zw
is 2
says "nested more than 200 levels deep" "raise the limit with --limit nesting=2000"
zwang check nest.zw --limit nesting=1000
is 0
nest 100000 >nest.zw
soon 5 check nest.zw --limit nesting=1e9
is 2
says "nested more than 2000 levels deep"

# ---- memory ----

model large <<<"param N = 100000
coord x[1..N] = 1
for i in 1..N { kinetic 1/2*x[i]'^2 }
run 0 .. 1"
soon 5 check large.zw --limit memory=1e7
is 2
says "the model needs more memory than the limit of 9 MB; raise it with --limit memory=..."
# wherever it is reached, also while the solve is written out
model chain <<'E'
param N = 1000
coord x[1..N], y[1..N]
for i in 1..N {
  kinetic 1/2*(x[i]'^2 + y[i]'^2)
  start x[i] = i
}
constraint pin: x[1]^2 + y[1]^2 = 1
for i in 2..N { constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1 }
run 0 .. 1
E
for megabytes in 2 3 4 6 8 10 12; do
  soon 5 check chain.zw --limit memory=${megabytes}e6
  [ "$status" = 0 ] && break
  is 2
  says "the model needs more memory than the limit of" "raise it with --limit memory=..."
done
[ "$megabytes" -gt 4 ] || fail "the limit is not reached while the solve is written out"
soon 10 run large.zw --limit memory=1e9 --formulation lagrange
is 2
says "100000 coordinates and 0 constraints need" "for the dense solve, the limit is 1 GB" "raise it with --limit memory=..."
no_results

# ---- what must not grow beyond measure ----

# each let twice the one before, times a parameter: a sum of 2^60 terms, if it were written out
{
  echo "param k = 1e-9"
  echo "$body"
  echo "let a0 = sin(x)"
  for i in $(seq 1 60); do echo "let a$i = a$((i - 1)) + k*a$((i - 1))"; done
  echo "potential a60"
  echo "run 0 .. 1"
} >twice.zw
soon 2 check twice.zw
is 0
soon 2 run twice.zw
is 0
# each reads all before: derivatives and dumps of what is shared
{
  echo "coord x = 0.1"
  echo "let a0 = sin(x)"
  for i in $(seq 1 60); do echo "let a$i = sin(a$((i - 1)))*a$((i - 1)) + a$((i - 1))"; done
  echo "kinetic (1 + a60^2)*x'^2"
  echo "force x = a60'"
  echo "run 0 .. 1"
} >shared.zw
soon 5 check shared.zw
is 0
# a long running sum of itself
model running <<'E'
param N = 2000
coord x = 0.1
let P[0] = x
for i in 1..N { let P[i] = P[i-1] + 0.001*sin(P[i-1]) }
kinetic 1/2*x'^2
potential P[N]
run 0 .. 1
E
soon 10 check running.zw
is 0
# a literal of 100 000 numbers, a sum of 20 000 terms, 10 000 names of which one is misspelt
{ printf 'param a = [1'; yes ', 1' | head -n 99999 | tr -d '\n'; echo "]"; echo "$body"; } >literal.zw
soon 5 check literal.zw
is 0
says "the parameter 'a' is never used"
[ "$(grep -c note: err)" = 1 ] || fail "one note is enough"
{ echo "$body"; printf 'potential x'; for i in $(seq 1 20000); do printf ' + sin(%d*x)' "$i"; done; echo; } >sum.zw
soon 10 check sum.zw
is 0
{ for i in $(seq 1 10000); do echo "let name$i = $i"; done; echo "$body"; echo "potential nmae5000 + naem77"; } >names.zw
soon 5 check names.zw
is 2
says "did you mean 'name5000'?"

# ---- a chain of 1000 links, as the language's page shows it ----

model chain <<'E'
param N = 100, m = 1, l = 1, g = 9.81
coord x[1..N], y[1..N]
for i in 1..N {
  kinetic   1/2*m*(x[i]'^2 + y[i]'^2)
  potential m*g*y[i]
  start     x[i] = i*l
}
constraint pin: x[1]^2 + y[1]^2 = l^2
for i in 2..N {
  constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2
}
output tip = y[N]
run 0 .. 1
E
zwang dump chain.zw --stage kernel
is 0
sed -n '1s/ kernels,.*//p' out >few
soon 60 dump chain.zw --stage kernel --set N=1000
is 0
[ "$(sed -n '1s/ kernels,.*//p' out)" = "$(cat few)" ] || fail "the kernels grow with the number of links"
soon 60 dump chain.zw --stage model --set N=1000
is 0
prints "link[1000]" "x[1000]"
done_well
