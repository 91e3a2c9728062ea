#!/usr/bin/env bash
# run --sensitivity: names, columns, summary, JSON, HDF5, pictures, checkpoints.
. "$(dirname "$0")/lib.bash"

# x = x0 cos(w t), w = sqrt(k/m) = 2
model spring <<'M'
param m = 2, k = 8
coord x = 0.5
kinetic 1/2*m*x'^2
potential 1/2*k*x^2
output twice = 2*x
run 0 .. 3 every 0.5 tolerance 1e-10
M
near() { # TABLE COLUMN VALUE: in the last row
  checks=$((checks + 1))
  awk -F, -v name="$2" -v want="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
    END { d = $c - want; exit !(c && d < 1e-8 && d > -1e-8) }' "$1" || fail "$2 is not $3 at the end of $1"
}

# ---- columns and what the summary says of them ----
zwang run spring.zw
is 0
mv spring.csv plain.csv
mv spring.svg plain.svg
zwang run spring.zw --sensitivity "k, start.x" --sensitivity "start.x'"
is 0
says_nothing
head -n 1 spring.csv >header
grep -qxF "t,x,x',twice,d(x)/d(k),d(x')/d(k),d(twice)/d(k),d(x)/d(start.x),d(x')/d(start.x),d(twice)/d(start.x),d(x)/d(start.x'),d(x')/d(start.x'),d(twice)/d(start.x')" header ||
  fail "the header is: $(cat header)"
near spring.csv "d(x)/d(start.x)" 0.9601702866503661   # cos(6)
near spring.csv "d(x)/d(k)" 0.052390405912298599       # -x0 t sin(w t)/(2 sqrt(k m))
near spring.csv "d(x')/d(start.x)" 0.5588309963978517  # -w sin(6)
cut -d, -f1-4 spring.csv | cmp -s - plain.csv || fail "the motion is another with sensitivities"
cmp -s spring.svg plain.svg || fail "derivatives are in the picture of the run"
prints "sensitivity  at t = 3" "derivative" "1 % more adds" "d(twice)/d(start.x)        1.92034"
# what has most effect comes first; 1 % of a start value that is 0 is nothing
grep -n "d(twice)" out | cut -d: -f1 | sort -n -c || fail "in no order"
sed -n 's/^ *\(d([^ ]*\) .*/\1/p' out | tr '\n' ' ' | grep -qF "d(twice)/d(start.x) d(twice)/d(k) d(twice)/d(start.x')" ||
  fail "not sorted by effect"
grep -qE "d\(twice\)/d\(start.x'\) +-0.2794[0-9]* +- +-$" out || fail "1 % of zero"
zwang run spring.zw --sensitivity k --quiet
is 0
prints_nothing

zwang run spring.zw --sensitivity k,start.x --evidence --json
is 0
is_json
json_is 'sensitivity[0].by' k
json_is 'sensitivity[0].value' 8
json_is 'sensitivity[1].by' start.x
json_has 'sensitivity[1].of.x' "sensitivity[1].of.x'" 'sensitivity[1].of.twice' sensitivity_drift sensitivity_steps
checks=$((checks + 1))
[ "$(json_value 'sensitivity[1].of.twice')" = "$(tail -n 1 spring.csv | cut -d, -f14)" ] || fail "JSON is not the last row"
head -n 1 spring.csv | grep -qF ",total work,d(x)/d(k)," || fail "evidence is not before the derivatives"
zwang run spring.zw --json
is_json
json_is sensitivity '[]'

# The linkage of docs/analysis.md. All lengths 1 % longer make the height 1 % larger: the sum of length times derivative is the height.
sed -n '/^# straight.zw/,/^run/p' "$root/docs/analysis.md" >straight.zw
zwang run straight.zw --sensitivity ground,crank,coupler,rocker,arm
is 0
awk -F, 'BEGIN { l["ground"] = 200; l["crank"] = 100; l["coupler"] = l["rocker"] = 250; l["arm"] = 500 }
  NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
  { s = -$c["height"]; for (name in l) s += l[name]*$c["d(height)/d(" name ")"]; if (s > 1e-9 || s < -1e-9) bad = NR }
  END { exit bad != 0 || NR != 502 }' straight.csv || fail "derivatives by lengths do not add up to the height"
# a rocker that is 0.1 mm longer: the begin of the line is 0.2 mm higher, its end is not
ends() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "height") c = i } NR == 2 { first = $c } END { print first, $c }' straight.csv; }
ends >heights
zwang run straight.zw --set rocker=250.1
is 0
ends >>heights
awk '{ first[NR] = $1; last[NR] = $2 } END { a = first[2] - first[1] - 0.2; b = last[2] - last[1]; exit !(a < 1e-4 && a > -1e-4 && b < 1e-4 && b > -1e-4) }' heights ||
  fail "a longer rocker does something else: $(paste -sd' ' heights)"

# of many only some lines
model many <<'M'
param a[1..8] = 1
coord x[1..3] = 1
for i in 1..3 { kinetic 1/2*x[i]'^2; potential 1/2*a[i]*x[i]^2 }
run 0 .. 1
M
zwang run many.zw --sensitivity "start.x[1],start.x[2],start.x[3],start.x[1]',start.x[2]'"
is 0
prints "and 3 more (--json lists all)"

# ---- what is refused ----
refused() {
  is 2
  says "$@"
  absent spring.csv.part
}
zwang run spring.zw --sensitivity k,,m
refused "--sensitivity needs names with commas between them, as in --sensitivity m,start.x, not 'k,,m'"
zwang run spring.zw --sensitivity ""
refused "--sensitivity needs names"
zwang run spring.zw --sensitivity
refused "--sensitivity needs a value"
zwang run spring.zw --sensitivity x
refused "the model has no parameter 'x' to vary" "its start value is 'start.x'"
zwang run spring.zw --sensitivity k,k --json
refused "'k' is to be varied twice"
is_json
json_is status refused
zwang run spring.zw --sensitvity k
refused "did you mean '--sensitivity'?"
zwang sweep spring.zw --over k=1,2 --sensitivity k
is 2
says "'zwang sweep' has no option '--sensitivity'"

# ---- pictures of what is stored ----
zwang run spring.zw --sensitivity k,start.x
zwang plot spring.csv
is 0
prints "drawn        x, twice"
zwang plot spring.csv --columns "d(x)/d(k)"
is 0
prints "drawn        d(x)/d(k)"
zwang plot spring.csv --columns "d(x)/d(k),d(*)/d(start.x)"
is 0
prints "drawn        d(x)/d(k), d(x)/d(start.x), d(x')/d(start.x), d(twice)/d(start.x)"

# ---- HDF5: a group of their own ----
if "$ZWANG" --version | grep -q "HDF5 [0-9]"; then
  zwang run spring.zw --sensitivity "k,start.x'" --format csv,h5
  is 0
  zwang plot spring.csv --columns "d(*)/d(start.x')" -o csv.svg
  zwang plot spring.h5 --columns "d(*)/d(start.x')" -o h5.svg
  is 0
  cmp -s csv.svg h5.svg || fail "the pictures differ"
  for path in "sensitivities/k/x" "sensitivities/start.x'/twice" evidence/work sensitivity_drift; do
    checks=$((checks + 1))
    grep -aqF "$path" spring.h5 || fail "there is no $path in the file"
  done
fi

# ---- large models: of what is not recorded there are no derivatives either ----
model large <<'M'
param k = 1
coord x[1..201]
for i in 1..201 { kinetic 1/2*x[i]'^2; potential 1/2*k*x[i]^2 }
start x[1] = 1
output end = x[1]
run 0 .. 0.1 every 0.1
M
zwang run large.zw --sensitivity k
is 0
head -n 1 large.csv >header
grep -qxF "t,end,d(end)/d(k)" header || fail "the header is: $(cut -c 1-200 header)"

# ---- interrupted, and on ----
cp "$root/examples/pendulum.zw" .
background run pendulum.zw --to 1e7 --every 0.5 --sensitivity l,start.x --checkpoint 0.01
await is_there pendulum.resume
finish INT
exists pendulum.csv.part pendulum.resume
cp pendulum.csv.part kept.csv.part
end=$(tail -n 1 pendulum.csv.part | awk -F, '{ print int($1) + 5 }')
zwang run pendulum.zw --to "$end" --every 0.5 --resume
is 2
says "'sensitivity' was by l, start.x and is by nothing"
zwang run pendulum.zw --to "$end" --every 0.5 --resume --sensitivity l
is 2
says "'sensitivity' was by l, start.x and is by l"
zwang run pendulum.zw --to "$end" --every 0.5 --resume --sensitivity l,start.x
is 0
prints "resumed" "d(angle)/d(l)"
cp pendulum.csv went_on.csv
cmp -s -n "$(wc -c <kept.csv.part)" kept.csv.part went_on.csv || fail "rows of before have changed"
zwang run pendulum.zw --to "$end" --every 0.5 --sensitivity l,start.x
# the last step of a run ends at its end; the rows before it are the same bit by bit
head -n -10 went_on.csv >most.csv
cmp -s -n "$(wc -c <most.csv)" most.csv pendulum.csv || fail "rows are others than those of a run that was not interrupted"
zwang run pendulum.zw --to "$end" --every 0.5 --resume --sensitivity l,start.x
is 0
prints "is finished"
zwang run pendulum.zw --to "$end" --every 0.5 --resume --sensitivity g
is 2
says "is not a result of this run"

# ---- gradients ----

awk '/^# stone.zw/ { on = 1 } /^```$/ { on = 0 } on' "$root/docs/sensitivity.md" >stone.zw
zwang run stone.zw --gradient range
is 0
awk '/^  gradient     of range/ { on = 1 } /^```$/ { on = 0 } on' "$root/docs/sensitivity.md" >page.txt
[ "$(wc -l <page.txt)" -eq 12 ] || fail "the page shows another table"
while IFS= read -r line; do prints "$line"; done <page.txt
zwang run stone.zw --gradient range --sensitivity v,m --json
is 0
prints '"gradient":{"of":"range"' '"name":"v","value":12,"derivative":1.02086' '"name":"m"'
if grep -q '"name":"drag"' out; then fail "what was not named is varied"; fi
head -n 1 stone.csv | grep -q "d(" && fail "rows of a gradient have derivatives"
zwang run stone.zw --gradient rang
is 2
says "no coordinate, velocity or output 'rang'; did you mean 'range'?"
zwang run stone.zw --gradient range --resume
is 2
says "a gradient goes back over the whole run"
zwang run pendulum.zw --to 1000 --every 100 --gradient angle --limit memory=2e6
is 1
says "the path that a gradient goes back along"

# ---- the end of a run that moves with what is varied ----

model moving <<'E'
param T = 2, v = 3
coord x = 0
kinetic 1/2*x'^2
start x' = v
run 0 .. T
E
zwang run moving.zw --sensitivity T,v
is 0
says "the end of the run moves with 'T': derivatives are at fixed times" "--gradient NAME"
zwang run moving.zw --gradient x --json
is 0
prints '"name":"T","value":2,"derivative":3'
zwang run moving.zw --sensitivity v
is 0
if grep -q "fixed times" err; then fail "a note without a reason"; fi
zwang run moving.zw --sensitivity T --to 1
is 0
if grep -q "fixed times" err; then fail "a note though the end is given"; fi
zwang run stone.zw --sensitivity v
is 0
says "the run ends at 'stop when', whose time depends on what is varied"
done_well
