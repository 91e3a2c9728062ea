#!/usr/bin/env bash
# Events in the results: a row before and a row after, with the same t, and their name in the last column.
. "$(dirname "$0")/lib.bash"

model ball <<'M'
param e = 0.9, g = 9.81
coord y = 1
kinetic 1/2*y'^2
potential g*y
memory n = 0
when y < 0: y' = -e*y', n = n + 1
output bounces = n
run 0 .. 8.5 every 0.5 tolerance 1e-11
M
zwang run ball.zw
is 0
prints "events       44" "balance with what events took, relative error" "44 events took"
head -n 1 ball.csv | grep -qx "t,y,y',bounces,event" || fail "the header is $(head -n 1 ball.csv)"
[ "$(grep -c ',y < 0$' ball.csv)" = 88 ] || fail "not two rows for each of 44 bounces"
whole_rows ball.csv
# published times of the first and the last bounce (bouncing_ball.json), to 1e-9
awk -F, '
  $NF == "y < 0" { count++; if (count == 1) first = $1; if (count % 2) before = $0; last = $1 }
  END {
    d = first - 0.4515236409857308; if (d > 1e-9 || d < -1e-9) exit 1
    d = last - 8.491374025647692180659; if (d > 1e-9 || d < -1e-9) exit 1
  }' ball.csv || fail "the bounces are not when they should be"
tail -n 1 ball.csv | awk -F, '{ d = $2 - 5.565551008992671e-06; if (d > 1e-9 || d < -1e-9) exit 1 }' || fail "the end is wrong"

# it never comes to rest: its bounces come ever faster, which is said
zwang run ball.zw --to 10
is 1
says "events follow each other ever faster: at t = 8.57894" "needs a contact"
exists ball.csv.part
whole_rows ball.csv.part

# the end of a run by the model
model fall <<'M'
coord y = 1
kinetic 1/2*y'^2
potential 8*y
stop when y < 0
run 0 .. 5
M
zwang run fall.zw
is 0
prints "the last one ended the run"
zwang run fall.zw --json
is 0
is_json
json_is stopped true
json_is events 1

# a model without events has no such column
model plain <<'M'
coord y = 1
kinetic 1/2*y'^2
run 0 .. 1
M
zwang run plain.zw
is 0
head -n 1 plain.csv | grep -qx "t,y,y'" || fail "the header is $(head -n 1 plain.csv)"

# names with commas and quotes are quoted
model named <<'M'
coord x
kinetic 1/2*x'^2
start x' = 1
memory k = 0
when max(x, 0.5) > 0.75: k = 1
run 0 .. 1 every 1
M
zwang run named.zw
is 0
grep -qF ',"max(x, 0.5) > 0.75"' named.csv || fail "the name is not quoted"

# several at one time are one event, named in the order of the text
model meeting <<'M'
coord a, b = 2
kinetic 1/2*(a'^2 + b'^2)
start a' = 1, b' = -1
memory k = 0, m = 0
when b < 1: k = k + 1
when a > 1: m = m + 10
when t > 2: k = k + 100
output seen = k + m
run 0 .. 3 every 3
M
zwang run meeting.zw
is 0
prints "events       3"
[ "$(grep -c 'b < 1; a > 1$' meeting.csv)" = 2 ] || fail "two at one time are not named in their order"
tail -n 1 meeting.csv | awk -F, '{ exit $6 != 111 }' || fail "not all happened"

# points of a table are no events, though steps end there
printf '0,1\n1,3\n2,2\n3,0\n' > shape.csv
model shaped <<'M'
coord x
kinetic 1/2*x'^2
force x = table("shape.csv", t)
run 0 .. 3 every 1
M
zwang run shaped.zw
is 0
! grep -q "^  events" out || fail "points of the table are counted as events"
head -n 1 shaped.csv | grep -qx "t,x,x'" || fail "the header is $(head -n 1 shaped.csv)"
[ "$(wc -l < shaped.csv)" = 5 ] || fail "points of the table made rows"

# where a table ends is said with its argument
zwang run shaped.zw --to 4
is 1
says "a table read outside of its points (at 3" "at t = 3"

# switches are named by what switches
model push <<'M'
coord x
kinetic 1/2*x'^2
force x = if x < 1 then 1 else -1
run 0 .. 2 every 2
M
zwang run push.zw
is 0
says_nothing
grep -q '^1.4142135623.*x < 1 switches$' push.csv || fail "the switch is not where it should be"
done_well
