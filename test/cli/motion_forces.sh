#!/usr/bin/env bash
# zwang forces: motion -> forces -> motion, what is missing, what is refused; the study of docs/forces.md word for word.
. "$(dirname "$0")/lib.bash"

# The rows of table A are in table B too, and columns COLS (with spaces between) agree to TOL.
agree() { # A B TOL COLS
  checks=$((checks + 1))
  awk -F, -v tol="$3" -v cols="$4" '
    FNR == 1 { file++; for (i = 1; i <= NF; i++) at[file, $i] = i; n = split(cols, name, " "); next }
    file == 1 { for (k = 1; k <= n; k++) value[$1, k] = $at[1, name[k]]; seen[$1] = 1; next }
    $1 in seen { rows++; for (k = 1; k <= n; k++) { d = $at[2, name[k]] - value[$1, k]; if (d < 0) d = -d; if (d > most) { most = d; worst = name[k] " at " $1 } } }
    END { if (rows < 10 || !(most < tol)) { print rows " rows in common, off by " most ": " worst; exit 1 } }' "$1" "$2" >off ||
    fail "$1 and $2: $(cat off)"
}

# ---- the page, word for word ----
ZWANG_ROOT="$root" bash "$root/test/cli/docs.sh" extract
cp forces/*.zw .
zwang examples --copy robot-arm
zwang run robot-arm.zw --tolerance 1e-10 --quiet
is 0
zwang forces arm.zw --motion robot-arm.csv
is 0
says_nothing
exists arm.forces.csv arm.forces.svg
whole_rows arm.forces.csv
prints "no coordinates of the model" 'force q[2] = table("arm.forces.csv", t, "force on q[2]")' "start q[3] = 0.4, q[3]' = -0.824187" "run 0 .. 6"
# the lines it prints are those of the page
sed -n '/^To feed/,$s/^  //p' out >lines
[ "$(wc -l <lines)" = 7 ] || fail "the lines to feed back are not seven"
while IFS= read -r line; do grep -qxF -- "$line" follow.zw controller.zw || fail "docs/forces.md does not have: $line"; done <lines
# the force of the constraint is the control
awk -F, 'FNR == 1 { file++; for (i = 1; i <= NF; i++) at[file, $i] = i; next }
  file == 1 { for (k = 1; k <= 3; k++) m[$1, k] = $at[1, "moment[" k "]"]; seen[$1] = 1; next }
  $1 in seen { rows++; for (k = 1; k <= 3; k++) { d = $at[2, "force on q[" k "]"] - m[$1, k]; if (d * d > 1e-10) bad = 1 } }
  END { exit bad || rows < 500 }' robot-arm.csv arm.forces.csv || fail "the forces are not the moments of the constraint"
zwang run follow.zw --to 0.5 --every 0.012 --tolerance 1e-12 --quiet
is 0
agree robot-arm.csv follow.csv 1e-8 "q[1] q[2] q[3] q[1]' q[2]' q[3]'"
# a rough table will do where there is a controller, for longer than without
zwang forces arm.zw --motion robot-arm.csv --tolerance 1e-8 --quiet
is 0
zwang run controller.zw --tolerance 1e-9 --to 1.5 --every 0.012 --quiet
is 0
agree robot-arm.csv controller.csv 1e-8 "q[1] q[2] q[3]"
zwang forces arm.zw --motion robot-arm.csv --by 'q[1],q[2]' --every 0.012
is 0
says "these actuators cannot make the motion" "q[3] (1.37"
prints "missing on" "q[3]                  1.37"
zwang forces arm.zw --motion robot-arm.csv --by 'q[1],q[2]' --every 0.012 --quiet
is 0
prints_nothing
says "these actuators cannot make the motion"

# ---- the arm in a horizontal plane, from the forces alone ----
zwang run robot-arm.zw --tolerance 1e-12 --set g=0 --to 1.5 --every 0.012 --quiet
is 0
sed -e '/^start/d' -e '/^run/d' follow.zw >plane.zw
zwang forces arm.zw --motion robot-arm.csv --set g=0
is 0
sed -n -e '/^To feed/,$s/^  start/start/p' -e '/^To feed/,$s/^  run/run/p' out >>plane.zw
zwang run plane.zw --set g=0 --tolerance 1e-12 --every 0.012 --quiet
is 0
agree robot-arm.csv plane.csv 1e-8 "q[1] q[2] q[3]"

# ---- the slider-crank, on all coordinates, with a redundant row; and by the crank alone ----
cp "$root/examples/slider-crank.zw" .
sed -e '/^force/d' -e 's/, torque = 2//' slider-crank.zw >crank.zw
zwang run slider-crank.zw --tolerance 1e-11 --every 0.01 --to 1 --quiet
is 0
zwang forces crank.zw --motion slider-crank.csv
is 0
prints "the motion is off by"
{
  cat crank.zw
  sed -n '/^To feed/,$s/^  force/force/p' out
} >back.zw
grep -q 'force x2 = table' back.zw || fail "no line for x2"
zwang run back.zw --to 1 --every 0.01 --tolerance 1e-12 --quiet
is 0
agree slider-crank.csv back.csv 1e-8 "x1 y1 ph1 x2 y2 ph2 x3"
# only the crank angle is given, and its rate; the torque is that of the example
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "ph1" || $i == "ph1'"'"'") c[++n] = i } { print $1 "," $c[1] "," $c[2] }' slider-crank.csv >angle.csv
zwang forces crank.zw --motion angle.csv --by ph1 --json
is 0
is_json
json_is status ok
json_is full false
json_is "found[0]" x1
json_is "found[7]" ph3
json_is "forces[0].on" ph1
json_is from_start true
json_is "feedback[0]" 'force ph1 = table("crank.forces.csv", t, "force on ph1")'
json_has missing_part spline_off "forces[0].rms" "forces[0].power" "start.ph1'" off_positions csv svg
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "force on ph1") c = i; next } { d = $c - 2 * cos($1); if (d * d > 1e-10) exit 1 }' crank.forces.csv ||
  fail "the torque is not 2 cos(t)"
{
  cat crank.zw
  echo 'force ph1 = table("crank.forces.csv", t, "force on ph1")'
} >back.zw
zwang run back.zw --to 1 --every 0.01 --tolerance 1e-12 --quiet
is 0
agree slider-crank.csv back.csv 1e-8 "x1 y1 ph1 x2 y2 ph2 x3"
# its own motion needs nothing
zwang forces slider-crank.zw --motion slider-crank.csv --every 0.01
is 0
prints "Hardly a force is needed"

# ---- files ----
zwang forces crank.zw --motion angle.csv --by ph1 --every 0.5 -o deep.csv
is 0
exists deep.csv deep.svg
prints 'table("deep.csv", t, "force on ph1")'
[ "$(wc -l <deep.csv)" = 4 ] || fail "--every 0.5 does not give 3 rows"
zwang forces crank.zw --motion angle.csv --by ph1 -o deep.txt
is 2
says "-o NAME.csv"
cp angle.csv crank.forces.csv
zwang forces crank.zw --motion crank.forces.csv --by ph1
is 2
says "would overwrite a file that the forces are made from"
rm crank.forces.csv
zwang forces crank.zw --motion angle.csv --out nowhere
is 2
says "nowhere"
# names with a comma can be fed back
model grid <<'M'
coord r[1..2, 1..2]
for i in 1..2, j in 1..2 { kinetic 1/2*r[i,j]'^2 }
run 0 .. 1
M
{
  echo 't,"r[1,1]","r[1,2]","r[2,1]","r[2,2]"'
  awk 'BEGIN { for (i = 0; i <= 10; i++) print i/10 "," i*i/100 ",0,0,0" }'
} >grid.csv
zwang forces grid.zw --motion grid.csv --by 'r[1,1],r[2,2]' -o g.csv
is 0
says_nothing
{
  cat grid.zw
  sed -n '/^To feed/,$s/^  force/force/p' out
} >gback.zw
zwang run gback.zw --quiet
is 0
tail -n 1 gback.csv | awk -F, '{ d = $2 - 1; exit !(d * d < 1e-16) }' || fail "r[1,1] does not come back"

# ---- refusals ----
refused() { # WORDS...: by the last command
  is 2
  says "$@"
}
zwang forces crank.zw
refused "which motion? write: zwang forces FILE --motion TABLE.csv"
zwang forces crank.zw --motion nowhere.csv
refused "nowhere.csv"
zwang forces crank.zw --motion angle.csv --by ph9
refused "the actuator 'ph9' is not a coordinate of the model" "did you mean 'ph1'?"
zwang forces crank.zw --motion angle.csv --by ""
refused "the actuator ''"
zwang forces crank.zw --motion angle.csv --every 0
refused "--every needs a number above 0"
zwang forces crank.zw --motion angle.csv --within -1
refused "--within needs a number above 0"
sed '1s/^t,/time,/' angle.csv >bad.csv
zwang forces crank.zw --motion bad.csv
refused "has no column 't'"
sed '1s/ph1/phi/g' angle.csv >bad.csv
zwang forces crank.zw --motion bad.csv
refused "no column of the table is a coordinate of the model"
awk -F, -v OFS=, 'NR == 82 { $2 = "nan" } 1' angle.csv >bad.csv
zwang forces crank.zw --motion bad.csv
refused "ph1 has no finite value at t = 0.8 (row 81)"
awk -F, -v OFS=, 'NR == 82 { $2 = "much" } 1' angle.csv >bad.csv
zwang forces crank.zw --motion bad.csv
refused "bad.csv:82:"
awk -F, -v OFS=, 'NR > 1 { $3 *= 57.3 } 1' angle.csv >bad.csv
zwang forces crank.zw --motion bad.csv
refused "ph1' is not the rate of ph1" "look at its units"
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "x3") c = i } NR == 52 { $c += 0.001 } 1' slider-crank.csv >bad.csv
zwang forces crank.zw --motion bad.csv --json
refused "the motion at t = 0.5 violates 'slider_x': its positions are off by"
is_json
json_is status refused
zwang forces crank.zw --motion bad.csv --within 0.01 --every 0.01
is 0
head -n 1 angle.csv >bad.csv
zwang forces crank.zw --motion bad.csv
refused "no rows"
head -n 4 angle.csv >bad.csv
zwang forces crank.zw --motion bad.csv
refused "the table has 3 times: accelerations need at least 5"
(
  head -n 50 angle.csv
  sed -n 20,30p angle.csv
) >bad.csv
zwang forces crank.zw --motion bad.csv
refused "times must ascend: row 50 has t = 0.18 behind t = 0.48"
cp "$root/examples/bouncing-ball.zw" .
zwang run bouncing-ball.zw --quiet
zwang forces bouncing-ball.zw --motion bouncing-ball.csv
refused "forces cannot be found beside 'when y < 0'" "bouncing-ball.zw:8:1"
cp "$root/examples/ball-comes-to-rest.zw" .
zwang forces ball-comes-to-rest.zw --motion bouncing-ball.csv
refused "forces cannot be found beside the contact 'floor'"
done_well
