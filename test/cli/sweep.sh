#!/usr/bin/env bash
# Many motions of one model: each is what `zwang run` gives, whatever the number of threads; what fails, is interrupted or cannot be
# written costs nothing else.
. "$(dirname "$0")/lib.bash"
cp "$root/examples/pendulum.zw" .

# field NAME FILE ROW: of a table; rows count from 1, without the header; a reason with commas stands in quotes
field() {
  sed 's/"[^"]*"/quoted/' "$2" | awk -F, -v name="$1" -v row="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == row + 1 { print $at }'
}

rows() {
  echo $(($(wc -l <"$1") - 1))
}

# the last row of a run, without the column of events, stands in the row of the member
same_as_run() { # MODEL ROW COLUMNS OPTIONS...
  local name=$1 row=$2 columns=$3 table
  shift 3
  zwang run "$name.zw" "$@"
  table=$name.csv
  [ -f "$table" ] || table=$name.csv.part
  checks=$((checks + 1))
  tail -n 1 "$table" | cut -d, -f1-"$columns" >of_run
  sed 's/"[^"]*"/quoted/' "$name.sweep.csv" | awk -F, -v row="$row" -v columns="$columns" 'NR == 1 { for (i = 1; $i != "reason"; i++); }
    NR == row + 1 { for (k = 1; k <= columns; k++) printf "%s%s", $(i + k), k < columns ? "," : "\n" }' >of_sweep
  cmp -s of_run of_sweep || fail "member $row of $name is $(cat of_sweep), the run $(cat of_run)"
  rm -f "$name.csv" "$name.svg" "$name.csv.part" "$name.resume"
}

# ---- a grid ----

zwang sweep pendulum.zw --over l=1,1.5 --over g=9..10:3 --to 3
is 0
says_nothing
prints "pendulum: 6 members: l (2), g (3)" "6 fine, 0 failed" "|phi| <= " "relative drift <= " "pendulum.sweep.csv (6 rows)"
exists pendulum.sweep.csv
absent pendulum.sweep.csv.part pendulum.csv pendulum.svg
[ "$(head -n 1 pendulum.sweep.csv)" = \
  "member,l,g,status,reason,t,x,y,x',y',angle,min angle,max angle,moved,|phi|,|phi'|,energy drift,steps,rejected" ] ||
  fail "the header is $(head -n 1 pendulum.sweep.csv)"
[ "$(cut -d, -f1-4,6 pendulum.sweep.csv | tail -n 6 | tr '\n' ' ')" = \
  "1,1,9,ok,3 2,1,9.5,ok,3 3,1,10,ok,3 4,1.5,9,ok,3 5,1.5,9.5,ok,3 6,1.5,10,ok,3 " ] || fail "other members"
row=0
for l in 1 1.5; do
  for g in 9 9.5 10; do
    row=$((row + 1))
    same_as_run pendulum $row 6 --set l=$l --set g=$g --to 3
  done
done

# least and largest over the rows, found a second time in the table of the run
zwang run pendulum.zw --set l=1.5 --set g=9.5 --to 3
awk -F, 'NR > 1 { if (NR == 2 || $6 + 0 < low) { low = $6 + 0; a = $6 } if (NR == 2 || $6 + 0 > high) { high = $6 + 0; b = $6 } } END { print a, b }' \
  pendulum.csv >wanted
[ "$(field "min angle" pendulum.sweep.csv 5) $(field "max angle" pendulum.sweep.csv 5)" = "$(cat wanted)" ] || fail "not $(cat wanted)"
rm -f pendulum.csv pendulum.svg

# evenly spaced points are those one would type
zwang sweep pendulum.zw --over g=0..1:11,2 --to 0.1
is 0
[ "$(cut -d, -f2 pendulum.sweep.csv | tr '\n' ' ')" = "g 0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1 2 " ] || fail "other points"

# ---- threads ----

model rough <<'E2'
param m = 1, k = 3*m, e = 0.8, mu = 0.2
coord x = 0, y = 1
memory bounces = 0
kinetic 1/2*m*(x'^2 + y'^2)
potential 9.81*m*y + 1/2*k*x^2
contact floor: y >= 0, restitution e, friction mu, slip x
when x < 0: bounces = bounces + 1
output n = bounces, height = y
start x' = 1
run 0 .. 2
E2
cp "$root/examples/andrews.zw" .
for arguments in "rough --over m=0.5..2:7 --over x'=1,2,3" "rough --draw e=0..0.9 --draw y=0.5..2 --count 40 --seed 5" \
  "pendulum --over l=0.5..2:40 --to 2" "andrews --over m1=0.04,0.05 --draw c0=4000..5000 --count 2 --to 0.002"; do
  # shellcheck disable=SC2086 # several words
  set -- $arguments
  name=$1
  shift
  zwang sweep "$name.zw" "$@" --threads 1
  is 0
  cp "$name.sweep.csv" one
  for threads in 2 3 16; do
    zwang sweep "$name.zw" "$@" --threads $threads
    is 0
    checks=$((checks + 1))
    cmp -s one "$name.sweep.csv" || fail "$threads threads give another table of $name than one"
  done
  zwang sweep "$name.zw" "$@" --kernel interpret
  is 0
  cmp -s one "$name.sweep.csv" || fail "the interpreter gives another table of $name"
done

# contacts, events and values computed from parameters, against runs
zwang sweep rough.zw --over m=0.7,2 --over e=0,0.5
is 0
row=0
for m in 0.7 2; do
  for e in 0 0.5; do
    row=$((row + 1))
    same_as_run rough $row 7 --set m=$m --set e=$e
  done
done
# --set holds for all, also where it reads what is swept
zwang sweep rough.zw --over m=0.7 --set k=5*m
is 0
same_as_run rough 1 7 --set k=5*m --set m=0.7

# ---- start values ----

model thrown <<'E2'
param x0 = 3, v0 = 4, g = 9.81
coord x = x0, y = 0
kinetic 1/2*(x'^2 + y'^2)
potential g*y + 1/10*x^4
start y' = v0
run 0 .. 1
E2
zwang sweep thrown.zw --over x=0.5,1.25 --over "y'=2,-1"
is 0
[ "$(head -n 1 thrown.sweep.csv | cut -d, -f1-3)" = "member,start x,start y'" ] || fail "other names"
row=0
for x in 0.5 1.25; do
  for v in 2 -1; do
    row=$((row + 1))
    same_as_run thrown $row 5 --set x0=$x --set v0=$v
  done
done
# those that the constraints do not let be are counted
zwang sweep pendulum.zw --over "x'=0,1" --to 0.1
is 0
prints "typed values were moved in 1 member,"
[ "$(field moved pendulum.sweep.csv 1) $(field moved pendulum.sweep.csv 2)" = "0 1" ] || fail "moved is not counted"

# ---- draws ----

zwang sweep thrown.zw --draw g=1..3 --over x=1,2 --draw v0=-5..5 --count 20 --seed 42 --to 0.1
is 0
prints "40 members: g (drawn, 20, seed 42), x (2), v0 (drawn)"
# the generator, worked out a second time with the integers of the shell
mix() { # of $z, modulo 2^64; >> keeps the sign, so it is masked
  z=$(((z ^ ((z >> 30) & 0x3FFFFFFFF)) * 0xBF58476D1CE4E5B9))
  z=$(((z ^ ((z >> 27) & 0x1FFFFFFFFF)) * 0x94D049BB133111EB))
  z=$((z ^ ((z >> 31) & 0x1FFFFFFFF)))
}
for ((row = 1; row <= 40; row++)); do
  for draw in 0 1; do
    z=$((42 + 0x9E3779B97F4A7C15 * (draw + 1)))
    mix
    z=$((z + 0x9E3779B97F4A7C15 * ((row - 1) % 20 + 1)))
    mix
    bits=$(((z >> 11) & 0x1FFFFFFFFFFFFF))
    if [ $draw = 0 ]; then name=g low=1 width=2; else name=v0 low=-5 width=10; fi
    checks=$((checks + 1))
    awk -v low=$low -v width=$width -v bits=$bits -v got="$(field $name thrown.sweep.csv $row)" \
      'BEGIN { d = low + width * (bits / 9007199254740992) - got; exit !(d == 0) }' || fail "draw $draw of member $row is $(field $name thrown.sweep.csv $row)"
  done
done
cp thrown.sweep.csv seed42
zwang sweep thrown.zw --draw g=1..3 --over x=1,2 --draw v0=-5..5 --count 20 --to 0.1
is 0
! cmp -s thrown.sweep.csv seed42 || fail "another seed gives the same draws"
zwang sweep thrown.zw --draw g=1..3 --count 2 --seed 123456789012345678 --to 0.1 --json
is 0
is_json
json_is seed 123456789012345678
json_is 'swept[0].drawn' true
zwang sweep thrown.zw --draw g=1..3 --count 1000 --to 0.01 --every 0.01
is 0
awk -F, 'NR > 1 { if ($2 < 1 || $2 > 3) bad = 1; sum += $2 } END { exit bad || sum < 1940 || sum > 2060 }' thrown.sweep.csv ||
  fail "the draws do not fill their range" # the mean of 1000 is within 3.3 standard deviations

# ---- members that fail ----

model root <<'E2'
param a = 1
coord x = 1
kinetic 1/2*x'^2
force x = -a/sqrt(x)
output y = x
run 0 .. 1.2
E2
zwang sweep root.zw --over a=0.1,5,0.2,-1,7 --threads 2
is 1
says "zwang: member 2 failed after t = " "zwang: member 5 failed after t = "
prints "3 fine, 2 failed" "root.sweep.csv (5 rows)"
[ "$(cut -d, -f3 root.sweep.csv | tr '\n' ' ')" = "status ok failed ok ok failed " ] || fail "other members failed"
absent root.sweep.csv.part
for row in 1 2 3; do same_as_run root $row 3 --set "a=$(field a root.sweep.csv $row)"; done
zwang sweep root.zw --over a=0.1,5 --json
is 1
is_json
json_is status failed
json_is members 2
json_is fine 1
json_is failed 1
json_is 'failures[0].member' 2
json_is 'swept[0].name' a
json_is 'files[0]' root.sweep.csv
json_has threads seconds steps rejected phi_max phidot_max energy_drift rows errors notes seed moved
# of a member that cannot even start there is no row of the run
zwang sweep pendulum.zw --over m=1,-1 --to 1
is 1
says "zwang: member 2 failed: "
[ "$(field t pendulum.sweep.csv 2)" = nan ] || fail "it has a time"
zwang sweep pendulum.zw --over m=-1..-0.1:30 --to 1 --quiet
is 1
prints_nothing
says "zwang: and 20 more; the column 'reason' of the table has all"
rm -f ./*.csv ./*.svg

# ---- what is refused ----

wrong() { # WORDS OPTIONS...
  local words=$1
  shift
  zwang sweep pendulum.zw "$@"
  is 2
  says "$words"
  no_results
}
wrong "what is to be swept?"
wrong "the model has no parameter, coordinate or velocity 'angl'" --over angl=1
wrong "the model has no parameter, coordinate or velocity 'm''" --over "m'=1"
wrong "--over needs name=values" --over 3
wrong "--over needs name=values" --over =3
wrong "--over needs name=values" --over m=
for values in 1..2 1..2:1 1..2:2.5 1..2: 1,,2 "1," x inf nan 1e999 ..2:3 1..:3 "1 ,2" " 1" -1e308..1e308:1e9; do
  wrong "--over needs numbers" --over "m=$values"
done
wrong "--draw needs name=low..high" --draw m --count 3
for range in 1 2..1 1..1 1..2:3 a..b -1e308..1e308; do wrong "--draw needs the ends of a range" --draw "m=$range" --count 3; done
wrong "how many draws?" --draw m=1..2
wrong "--count is about draws" --over m=1 --count 3
wrong "--seed is about draws" --over m=1 --seed 3
wrong "--count needs a whole number" --draw m=1..2 --count 0
wrong "--count needs a whole number" --draw m=1..2 --count 1.5
for seed in -1 1.5 x '' 1234567890123456789; do wrong "--seed needs a whole number" --draw m=1..2 --count 3 --seed "$seed"; done
wrong "--threads needs a whole number" --over m=1 --threads 0
wrong "--threads 5000: 1024 are the most" --over m=1 --threads 5000
wrong "'m' is swept twice" --over m=1 --draw m=1..2 --count 2
wrong "'m' is swept and set" --over m=1 --set m=2
wrong "the sweep would have 100000000 members" --over m=1..2:10000 --over l=1..2:10000
wrong "the tolerance must be at most 0.1" --over m=1 --tolerance 1
wrong "there is no integrator 'none'" --over m=1 --integrator none
wrong "the output folder 'nowhere' cannot be used" --over m=1 --out nowhere
wrong "'zwang sweep' has no option '--forces'" --over m=1 --forces
zwang run pendulum.zw --over m=1
is 2
says "'zwang run' has no option '--over'"
model sized <<'E2'
param n = 2, count = 2*n
coord x[1..count] = 0
for i in 1..count { kinetic 1/2*x[i]'^2 }
run 0 .. 1
E2
zwang sweep sized.zw --over n=2,3
is 0
[ "$(wc -l <sized.sweep.csv)" = 3 ] || fail "sizes are not swept"
rm -f sized.sweep.csv
zwang sweep sized.zw --over "x[3]=1,2" --set n=3
is 0
rm -f sized.sweep.csv
model endless <<'E2'
param m = 1
coord x = 0
kinetic 1/2*m*x'^2
E2
zwang sweep endless.zw --over m=1
is 2
says "the model does not say how long to run"
no_results

# ---- files ----

# a full disk at the begin, a limit on the way: whole rows stay
mkdir full
ln -s /dev/full full/pendulum.sweep.csv
zwang sweep pendulum.zw --over m=1,2 --out full
is 1
says "No space left on device"
rm -rf full
last="zwang sweep with a limit on file sizes"
status=0
(ulimit -f 8 && exec "$ZWANG" sweep pendulum.zw --over m=1..2:2000 --to 0.01 --json) >out 2>err || status=$?
is 1
says "cannot write \"pendulum.sweep.csv.part\": File too large"
is_json
json_is status failed
json_is 'errors[0].code' ZW_ERR_IO
json_is 'files[0]' pendulum.sweep.csv.part
no_results_but_part
whole_rows pendulum.sweep.csv.part
rm -f pendulum.sweep.csv.part

# start OPTIONS...: a sweep that takes very long, in the background, until rows are there
start() {
  rm -f pendulum.sweep.csv.part
  background sweep "$@"
  await has_lines pendulum.sweep.csv.part 2
}

for signal in INT TERM; do
  start pendulum.zw --over l=1..2:4000000 --to 20 --threads 3
  finish $signal
  is 130
  says "interrupted; pendulum.sweep.csv.part holds the members up to $(rows pendulum.sweep.csv.part) of 4000000"
  prints "pendulum.sweep.csv.part ($(rows pendulum.sweep.csv.part) rows)"
  no_results_but_part
  whole_rows pendulum.sweep.csv.part
  awk -F, 'NR > 1 && $1 != NR - 1 { exit 1 }' pendulum.sweep.csv.part || fail "the members are not in their order"
done
# one member that takes for ever is ended too
start pendulum.zw --over l=1,1,1,1 --over m=1 --draw g=1..2 --count 1000000 --to 20 --threads 2 --json
finish INT
is 130
is_json
json_is status interrupted
start pendulum.zw --over l=1..2:4000000 --to 20 --threads 3
finish KILL
is 137
whole_rows_but_last pendulum.sweep.csv.part
# a new sweep takes the place of what was left
zwang sweep pendulum.zw --over l=1,2 --to 1
is 0
absent pendulum.sweep.csv.part
[ "$(rows pendulum.sweep.csv)" = 2 ] || fail "$(rows pendulum.sweep.csv) rows"

# a start value has one name, by whichever it was asked for
model rod <<'E2'
use planar
param m = 2, l = 1.5
part g = earth()
part r = rod(m, (0, 0), (l, 0))
part h = pin(g, r, (0, 0))
run 0 .. 1
E2
for end in "" "'"; do
  zwang sweep rod.zw --over "r.phi$end=0,0.5"
  is 0
  mv rod.sweep.csv plain.csv
  zwang sweep rod.zw --over "r.b.phi$end=0,0.5"
  is 0
  head -n 1 rod.sweep.csv | grep -qF "member,start r.phi$end,status," || fail "the column is called $(head -n 1 rod.sweep.csv)"
  cmp -s rod.sweep.csv plain.csv || fail "another table by another name"
done
zwang sweep rod.zw --over r.b.phi=0,0.5 --over r.phi=0,1
is 2
says "'r.phi' is swept twice"

# a table that the model reads is not lost
cat >fed.sweep.csv <<'E2'
t,f
0,0
1,1
2,0
E2
model fed <<'E2'
param m = 1
coord x = 0
kinetic 1/2*m*x'^2
force x = table("fed.sweep.csv", t)
run 0 .. 1
E2
zwang sweep fed.zw --over m=1
is 2
says "the sweep would overwrite 'fed.sweep.csv', which the model reads"
cp fed.sweep.csv other.csv
zwang sweep fed.zw --over m=1 --out .
is 2
mkdir elsewhere
zwang sweep fed.zw --over m=1 --out elsewhere
is 0
exists elsewhere/fed.sweep.csv
cmp -s fed.sweep.csv other.csv || fail "the table of the model has changed"
done_well
