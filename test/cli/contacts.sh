#!/usr/bin/env bash
# What a run tells about contacts: the log, the summary, the picture, and what becomes of them when a run is disturbed.
. "$(dirname "$0")/lib.bash"

model ball <<'M'
param e = 0.5, g = 9.81
coord x, y = 1
kinetic 1/2*(x'^2 + y'^2)
potential g*y
start x' = 1
contact floor: y >= 0, restitution e
contact wall: x <= 2
contact ceiling: y <= 5
run 0 .. 3
M
model pair <<'M'
coord x[1..2]
start x[1] = 0.1, x[2] = 0.55, x[1]' = 1.3, x[2]' = -0.7
for i in 1..2 {
  kinetic 1/2*i*x[i]'^2
  contact x[i] >= 0, restitution 0.999
  contact end[i]: x[i] <= 1
}
run 0 .. 10
M
header="t,contact,what,impulse,friction,friction2,lost,theta,wall work"

# near WHAT GOT WANT: to nine digits
near() {
  checks=$((checks + 1))
  awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= 1e-6 * (b < 0 ? -b : b)) }' ||
    fail "$1 is $2, not $3"
}
contact_value() { json_value "per_contact[$1].$2"; }

# ---- the log ----

zwang run ball.zw
is 0
exists ball.csv ball.svg ball.contacts.csv ball.contacts.svg
absent ball.contacts.csv.part ball.contacts.svg.part
prints "impacts      " ", energy lost in them 10.31" "touched      floor: " "impacts with the impulse 13.2883 in all, closed for 1.645" \
  "wall: 1 impact with the impulse 1, closed for 1" "untouched    1 contact" \
  "files        ball.csv" ", ball.svg, ball.contacts.csv (" " lines), ball.contacts.svg"
[ "$(head -n 4 ball.contacts.csv)" = "$header
0,floor,open,0,0,0,0,0,0
0,wall,open,0,0,0,0,0,0
0,ceiling,open,0,0,0,0,0,0" ] || fail "the log begins with $(head -n 4 ball.contacts.csv)"
[ "$(tail -n 1 ball.contacts.csv)" = "3,,end,0,0,0,0,0,0" ] || fail "the log ends with $(tail -n 1 ball.contacts.csv)"
lines=$(($(wc -l <ball.contacts.csv) - 2))
prints "ball.contacts.csv ($lines lines)"
# numbers are those of the table: the first bounce is an event at the same time, digit by digit
t=$(awk -F, '$2 == "floor" && $3 == "hit" { print $1; exit }' ball.contacts.csv)
[ "$(grep -c "^$t," ball.csv)" = 2 ] || fail "the table has no event at t = $t"
near "the first bounce" "$t" "$(awk 'BEGIN { print sqrt(2 / 9.81) }')"

# totals: closed forms, and sums over the log
zwang run ball.zw --json
is 0
is_json
json_is contacts 3
near "the energy lost" "$(json_value energy_lost)" 10.31 # m g h at the floor, 1/2 m v^2 at the wall
json_is 'per_contact[0].name' floor
near "the impulse" "$(contact_value 0 impulse)" "$(awk 'BEGIN { printf "%.12g", 3 * sqrt(2 * 9.81) }')" # v (1 + e)/(1 - e)
near "the time closed" "$(contact_value 0 time_closed)" "$(awk 'BEGIN { printf "%.12g", 3 - 3 * sqrt(2 / 9.81) }')"
json_is 'per_contact[0].time_sticking' 0
json_is 'per_contact[0].time_slipping' 0
json_is 'per_contact[1].impacts' 1
json_is 'per_contact[1].impulse' 1
json_is 'per_contact[1].energy_lost' 0.5
near "the time at the wall" "$(contact_value 1 time_closed)" 1
json_is 'per_contact[2].name' ceiling
json_is 'per_contact[2].impacts' 0
json_is 'per_contact[2].time_closed' 0
json_is 'per_contact[0].impacts' "$(grep -c 'floor,hit' ball.contacts.csv)"
[ "$(json_value impacts)" = "$(awk -F, '$3 == "hit" { print $1 }' ball.contacts.csv | sort -u | wc -l)" ] || fail "impacts are counted wrongly"
near "the sum of the log" "$(awk -F, '{ s += $7 } END { printf "%.12g", s }' ball.contacts.csv)" "$(json_value energy_lost)"
json_is 'files[0]' ball.csv
json_is 'files[1]' ball.svg
json_is 'files[2]' ball.contacts.csv
json_is 'files[3]' ball.contacts.svg

# the same run, the same bytes; and in another folder
cp ball.contacts.csv first.csv
mkdir there
zwang run ball.zw --out there -q
is 0
prints_nothing
cmp -s there/ball.contacts.csv first.csv || fail "the same run gives another log"
cmp -s there/ball.contacts.svg ball.contacts.svg || fail "the same run gives another picture"

# a model without contacts has no such files
cp "$root/examples/pendulum.zw" .
zwang run pendulum.zw
is 0
absent pendulum.contacts.csv pendulum.contacts.svg
zwang run pendulum.zw --json
is 0
is_json
json_is energy_lost 0
[ "$(json_value per_contact)" = "[]" ] || fail "there are contacts"

# names that csv has to quote, and names in loops, with labels and without
zwang run pair.zw --to 1
is 0
[ "$(sed -n 2,5p pair.contacts.csv | cut -d, -f2 | tr '\n' ' ')" = "line 5 end[1] line 5 (2) end[2] " ] ||
  fail "the contacts are called $(sed -n 2,5p pair.contacts.csv)"
prints "end[1]: 1 impact"

# nothing is ever touched
model none <<'M'
coord y = 3
kinetic 1/2*y'^2
potential 9.81*y
contact floor: y >= 0
run 1 .. 1.5
M
zwang run none.zw
is 0
prints "untouched    1 contact" "none.contacts.csv (1 line)"
[ "$(cat none.contacts.csv)" = "$header
1,floor,open,0,0,0,0,0,0
1.5,,end,0,0,0,0,0,0" ] || fail "the log is $(cat none.contacts.csv)"
grep -q "No contact is touched" none.contacts.svg || fail "the picture does not say so"

# a run that begins with an impact, and is stopped
model begin <<'M'
coord a, b = 1
kinetic 1/2*(a'^2 + b'^2)
potential 9.81*(a + b)
contact upper: b >= 0.5, restitution 0.9
contact lower: a >= 0, restitution 0.5
start a' = -1
stop when t > 1.7
run 0 .. 5
M
zwang run begin.zw
is 0
[ "$(sed -n 2,4p begin.contacts.csv)" = "0,lower,hit,1.5,0,0,0.375,1,0
0,upper,open,0,0,0,0,0,0
0,lower,open,0,0,0,0,0,0" ] || fail "the log begins with $(sed -n 2,4p begin.contacts.csv)"
near "the end" "$(tail -n 1 begin.contacts.csv | cut -d, -f1)" 1.7
[ "$(sed -n 's/.*text-anchor="end">\([^<]*\)<.*/\1/p' begin.contacts.svg | tr '\n' ' ')" = "upper lower " ] ||
  fail "the lanes are not in the order of the model"

# a contact of velocities is closed without impact
model limit <<'M'
coord x
kinetic 1/2*x'^2
force x = 1
contact fast: x' <= 2
run 0 .. 5
M
zwang run limit.zw
is 0
prints "touched      fast: closed for 3"
grep -q "impacts" out && fail "there are no impacts"

# ten thousand impacts make a long log and a small picture
model box <<'M'
coord x = 0.3
kinetic 1/2*x'^2
contact left: x >= 0, restitution 1
contact right: x <= 1, restitution 1
start x' = 100
run 0 .. 100 every 1
M
zwang run box.zw --json
is 0
is_json
json_is impacts 10000
json_is 'per_contact[0].impacts' 5000
near "the impulse" "$(contact_value 1 impulse)" 1000000
[ "$(wc -l <box.contacts.csv)" = 10004 ] || fail "the log has $(wc -l <box.contacts.csv) lines"
[ "$(wc -c <box.contacts.svg)" -lt 40000 ] || fail "the picture has $(wc -c <box.contacts.svg) bytes"

# ---- the picture ----

if command -v xmllint >/dev/null; then
  for file in *.contacts.svg; do
    checks=$((checks + 1))
    xmllint --noout "$file" 2>err || fail "$file is not well-formed"
  done
fi
for words in floor wall ceiling closed "logarithmic scale"; do grep -q "$words" ball.contacts.svg || fail "the picture has no '$words'"; done
for name in ball none begin limit box; do
  zwang plot $name.contacts.csv
  is 0
  says_nothing
  cmp -s $name.contacts.plot.svg $name.contacts.svg || fail "from its log the picture of $name is another one"
done
zwang plot ball.contacts.csv
prints "ball.contacts: $lines events, t = 0 .. 3" "drawn        3 contacts" "files        ball.contacts.plot.svg"
zwang plot ball.contacts.csv --json -o other.svg
is 0
is_json
json_is rows "$lines"
json_is from 0
json_is to 3
json_is unfinished false
json_is 'contacts[2]' ceiling
json_is 'files[0]' other.svg
exists other.svg
# sticking and slipping
cat >friction.contacts.csv <<'M'
t,contact,what,impulse,friction,friction2,lost
0,"left, lower",sticks,0,0,0,0
0,right,slips,0,0,0,0
1,"left, lower",slips,0,0,0,0
2,right,hit,0.5,-0.1,0.2,0.01
4,,end,0,0,0,0
M
zwang plot friction.contacts.csv
is 0
for words in "left, lower" sticks slips "url(#zw-slips)"; do grep -qF "$words" friction.contacts.plot.svg || fail "the picture has no '$words'"; done
grep -q ">closed<" friction.contacts.plot.svg && fail "nothing is closed without friction"

# the law where inertia depends on velocities (T32): theta, and the work of a wall that moves
model mirror <<'M'
coord x, y = 1
lagrangian -sqrt(1 - x'^2 - y'^2)
contact mirror: y >= 0.3*t, restitution 1
start x' = 0.5, y' = -0.5
run 0 .. 2
M
zwang run mirror.zw
is 0
prints "energetic restitution, all that touch at once"
zwang run mirror.zw --json
is 0
is_json
json_is contact_law "energetic restitution, all that touch at once"
near "the work of the mirror" "$(contact_value 0 wall_work)" 0.7459588021308632
near "theta" "$(awk -F, '$3 == "hit" { print $8 }' mirror.contacts.csv)" 0.6546762589928058
near "the work in the log" "$(awk -F, '$3 == "hit" { print $9 }' mirror.contacts.csv)" 0.7459588021308632
model both <<'M'
coord x = 1, y = 1
lagrangian -sqrt(1 - x'^2) + 1/2*y'^2
contact x >= 0
contact y >= 0
run 0 .. 1
M
zwang run both.zw
is 0
prints "energetic restitution where inertia depends on velocities, elsewhere Newton's, all that touch at once"

# of a run that goes on or was killed; cut anywhere
head -n 9 ball.contacts.csv >going.contacts.csv.part
zwang plot going.contacts.csv.part
is 0
says "note: 'going.contacts.csv.part' is of an unfinished run, up to t = "
prints "going.contacts: 8 events"
grep -q Unfinished going.contacts.plot.svg || fail "the picture does not say that it is unfinished"
head -c -3 going.contacts.csv.part >torn.contacts.csv.part
zwang plot torn.contacts.csv.part
is 0
says "its last line is cut short and left out"
prints "7 events"
head -n 5 ball.contacts.csv >cut.contacts.csv
zwang plot cut.contacts.csv
is 0
grep -q "does not say when the run ended" cut.contacts.plot.svg || fail "the end is made up"

# what is refused
zwang plot ball.contacts.csv --columns floor
is 2
says "'ball.contacts.csv' is a log of contacts" "leave out --columns"
zwang plot ball.contacts.csv --against t
is 2
says "leave out --columns and --against"
head -n 1 ball.contacts.csv >empty.contacts.csv
zwang plot empty.contacts.csv
is 2
says "'empty.contacts.csv' says nothing of any contact yet"
sed '5s/hit/hot/' ball.contacts.csv >wrong.contacts.csv
zwang plot wrong.contacts.csv
is 2
says "wrong.contacts.csv:5:1: error: open, closed, sticks, slips, hit or end expected, not 'hot'"
sed '6s/,0,0,/,0,/' ball.contacts.csv >wrong.contacts.csv
zwang plot wrong.contacts.csv
is 2
says "wrong.contacts.csv:6:" "this row has 8 fields and the first line 9"
absent wrong.contacts.plot.svg
zwang plot ball.contacts.csv -o ball.contacts.csv
is 2
says "would overwrite the result it is made from"
zwang plot ball.contacts.csv -o nowhere/p.svg
is 1
says "cannot write \"nowhere/p.svg"

# ---- HDF5 ----

zwang --version
if grep -q "HDF5 1\." out; then
  mkdir h5
  zwang run ball.zw --format h5 --out h5
  is 0
  prints "h5/ball.h5 (" ", h5/ball.svg, h5/ball.contacts.svg"
  exists h5/ball.h5 h5/ball.contacts.svg
  absent h5/ball.contacts.csv h5/ball.contacts.csv.part h5/ball.csv
  zwang run ball.zw --format csv,h5 --out h5
  is 0
  exists h5/ball.contacts.csv
  # a run that was killed between its last two files leaves nothing behind
  zwang run ball.zw --format h5 --out h5
  is 0
  cp first.csv h5/ball.contacts.csv.part
  zwang run ball.zw --format h5 --out h5 --resume
  is 0
  prints "is finished"
  absent h5/ball.contacts.csv.part
fi

# ---- runs that fail ----

model hole <<'M'
coord x, y = 1
kinetic 1/2*(x'^2 + y'^2)
potential 9.81*y
start x' = 1
force x = -0.1*sqrt(1.5 - x)
contact floor: y >= 0, restitution 0.5
run 0 .. 10
M
zwang run hole.zw
is 1
prints "impacts      " "files        hole.csv.part (" ", hole.contacts.csv.part"
exists hole.csv.part hole.contacts.csv.part
absent hole.csv hole.contacts.csv hole.contacts.svg
whole_rows hole.contacts.csv.part
zwang run hole.zw --json
is 1
is_json
json_is 'files[0]' hole.csv.part
json_is 'files[1]' hole.contacts.csv.part

# a full disk: before the first line, and on the way; the results of before stay
mkdir full
ln -s /dev/full full/ball.contacts.csv
zwang run ball.zw --out full
is 1
says "cannot write \"full/ball.contacts.csv\": No space left on device"
absent full/ball.csv full/ball.csv.part full/ball.svg full/ball.contacts.svg
rm -r full
mkdir old
cp first.csv old/box.contacts.csv
last="zwang run box.zw with a limit on file sizes"
status=0
(ulimit -f 100 && exec "$ZWANG" run box.zw --out old --checkpoint 0) >out 2>err || status=$?
is 1
says "cannot write \"old/box." "File too large"
prints "old/box.csv.part (whole rows, as far as they could be written), old/box.contacts.csv.part"
cmp -s old/box.contacts.csv first.csv || fail "the log of before was touched"
absent old/box.csv old/box.contacts.svg
whole_rows old/box.contacts.csv.part
exists old/box.resume
zwang run box.zw --out old --resume
is 0
cmp -s old/box.contacts.csv box.contacts.csv || fail "another log than without a full disk"
cmp -s old/box.contacts.svg box.contacts.svg || fail "another picture"
cmp -s old/box.csv box.csv || fail "another table"
rm -r old
# the log is no place to send things to that may never be read
mkdir pipe
mkfifo pipe/box.contacts.csv
zwang run box.zw --out pipe
is 2
says "'pipe/box.contacts.csv' is there already and no regular file: no log of contacts can take its place"
absent pipe/box.csv pipe/box.csv.part pipe/box.resume
# the picture cannot be written: the tables are complete
mkdir -p blocked/ball.contacts.svg
zwang run ball.zw --out blocked
is 1
says "blocked/ball.contacts.svg"
prints "blocked/ball.csv (" "blocked/ball.contacts.csv ("
exists blocked/ball.csv blocked/ball.contacts.csv
absent blocked/ball.csv.part blocked/ball.contacts.csv.part
# in the way
mkdir -p busy/ball.contacts.csv
zwang run ball.zw --out busy
is 1
says "cannot write \"busy/ball.contacts.csv\"" "Is a directory"
absent busy/ball.csv busy/ball.csv.part
# the model reads what would be written
cp first.csv there/ball.contacts.csv
ln -s ball.contacts.csv there/ball.zw
cp ball.zw there/reads.zw
ln -s reads.zw there/reads.contacts.csv
zwang run there/reads.zw --out there
is 2
says "the run would overwrite 'there/reads.contacts.csv', which the model reads"

# ---- runs that go on ----

# interrupt: the run of pair.zw, as soon as there is a checkpoint
interrupt() {
  rm -f pair.csv* pair.contacts.* pair.resume
  background run pair.zw --to 1e6 --every 1 --checkpoint 0.02
  await is_there pair.resume
  finish INT
  is 130
  exists pair.csv.part pair.contacts.csv.part pair.resume
}
interrupt
cp pair.csv.part kept.csv.part
cp pair.contacts.csv.part kept.contacts
cp pair.resume kept.resume
restore() {
  cp kept.csv.part pair.csv.part
  cp kept.contacts pair.contacts.csv.part
  cp kept.resume pair.resume
}
end=$(tail -n 1 kept.csv.part | cut -d, -f1 | awk '{ print int($1) + 3 }')
mkdir whole
zwang run pair.zw --to "$end" --every 1 --out whole --json
is 0
is_json
cp json json.whole
identical() {
  zwang run pair.zw --to "$end" --every 1 --resume --json
  is 0
  is_json
  for file in pair.csv pair.contacts.csv pair.contacts.svg; do
    cmp -s $file whole/$file || fail "$file is another one than that of a run nobody disturbed"
  done
  # totals too
  diff <(grep '^\.per_contact\|^\.energy_lost\|^\.impacts' json) <(grep '^\.per_contact\|^\.energy_lost\|^\.impacts' json.whole) >/dev/null ||
    fail "totals differ"
  absent pair.csv.part pair.contacts.csv.part pair.resume
  rm -f pair.csv pair.svg pair.contacts.*
}
identical
# lines behind the checkpoint, as a killed run leaves them, whole or torn
restore
head -c 100000 whole/pair.contacts.csv | tail -c +"$(($(wc -c <kept.contacts) + 1))" >>pair.contacts.csv.part
identical
restore
printf '12.5,end[1],hi' >>pair.contacts.csv.part
identical
# killed when the log had its name already and the table had not
restore
mv pair.contacts.csv.part pair.contacts.csv
identical
# killed before the first checkpoint
restore
rm pair.resume
identical

# a log that does not belong to the checkpoint: nothing is touched
refused() { # WORDS...
  cp pair.contacts.csv.part given.contacts
  zwang run pair.zw --to "$end" --every 1 --resume
  is 2
  says "$@"
  cmp -s pair.contacts.csv.part given.contacts || fail "the log was touched"
  cmp -s pair.csv.part kept.csv.part || fail "the journal was touched"
  cmp -s pair.resume kept.resume || fail "the checkpoint was touched"
}
restore
head -n 3 kept.contacts >pair.contacts.csv.part
refused "pair.contacts.csv.part\" has " "and should have at least"
restore
sed -i '1s/lost/cost/' pair.contacts.csv.part
refused "has other columns"
restore
sed -i '4s/open/ajar/' pair.contacts.csv.part
refused "pair.contacts.csv.part\" has other rows than when its checkpoint was made: it was changed or damaged"
restore
sed -i '6s/,line 5,/,line 7,/;6s/,end\[/,dne[/' pair.contacts.csv.part
refused "it was changed or damaged"
rm -f pair.contacts.csv.part
zwang run pair.zw --to "$end" --every 1 --resume
is 1
says "pair.contacts.csv.part"
cmp -s pair.csv.part kept.csv.part || fail "the journal was touched"
# nor is a log of something else lost
cp first.csv pair.contacts.csv
zwang run pair.zw --to "$end" --every 1 --resume
is 2
cmp -s pair.contacts.csv first.csv || fail "the log of something else was touched"
absent pair.contacts.csv.part
# ---- rocking comes to its end ----
# of a block whose feet stick: where its gaps close is known to a rounding, which gives back as much as impacts take
for h in 0.05 50; do
  cat >rocks.zw <<M
use planar
param h = $h, b = h/5, m = 0.01
part stone = body(m, m*(b^2 + h^2)/12, (0, h/2))
contact left: stone.at((-b/2, -h/2)).y >= 0, restitution 0, friction 0.3, slip stone.at((-b/2, -h/2)).x
contact right: stone.at((b/2, -h/2)).y >= 0, restitution 0, friction 0.3, slip stone.at((b/2, -h/2)).x
start stone.phi' = -4*sqrt(0.05/h)
run 0 .. 3*sqrt(h/0.05)
M
  zwang run rocks.zw --json
  is_json
  is 0
  json_is verdict trusted
  [ "$(wc -l <rocks.csv)" -lt 1500 ] || fail "it rocks without an end"
done
done_well
