#!/usr/bin/env bash
# What the `plot` statements of a model give: panels, curves, axes; contacts shaded; the same after --resume and from the table.
. "$(dirname "$0")/lib.bash"

count() { # WORDS FILE
  grep -oF -- "$1" "$2" | wc -l
}
has() { # NUMBER WORDS FILE
  checks=$((checks + 1))
  [ "$(count "$2" "$3")" = "$1" ] || fail "$3 has $(count "$2" "$3") times '$2', not $1"
}
curve='stroke-width="1.5"'

model pendulum <<'M'
coord φ = 1
let P = (sin(φ), -cos(φ))
kinetic 1/2*P'^2
potential 9.81*P.y
plot φ, φ', 1/2*P'^2
plot P.y against P.x
plot φ' against φ
run 0 .. 5
M
zwang run pendulum.zw
is 0
has 5 "$curve" pendulum.svg
has 1 'font-style="italic">t<' pendulum.svg
has 1 'font-style="italic">P.x<' pendulum.svg
has 1 'font-style="italic">φ<' pendulum.svg
# all of it is in the table
for name in φ "φ'" "1/2\*P'^2" P.y P.x; do head -n 1 pendulum.csv | grep -q "\(^\|,\)\"\?$name\"\?\(,\|$\)" || fail "the table has no $name"; done
zwang plot pendulum.csv --columns P.y --against P.x
is 0
diff <(grep "$curve" pendulum.svg | sed -n 4p | grep -o 'l.*' | wc -c) <(grep "$curve" pendulum.plot.svg | grep -o 'l.*' | wc -c) >/dev/null || fail "another curve"

# more statements than panels
{
  cat <<'M'
coord x = 1
kinetic 1/2*x'^2
potential 1/2*x^2
M
  for ((i = 1; i <= 14; i++)); do echo "plot $i*x"; done
  echo "run 0 .. 1"
} >many.zw
zwang run many.zw
is 0
has 12 "$curve" many.svg
has 1 "2 more are in many.csv" many.svg

# a large model records what it plots
{
  for ((i = 1; i <= 201; i++)); do echo "coord x$i = $i; kinetic 1/2*x$i'^2"; done
  echo "start x7' = 1, x9' = 2"
  echo "plot x7, x8'"
  echo "plot x9 against x7"
  echo "run 0 .. 1 every 0.1"
} >large.zw
zwang run large.zw
is 0
[ "$(head -n 1 large.csv)" = "t,x7,x9,x8'" ] || fail "the header is $(head -n 1 large.csv)"
has 3 "$curve" large.svg
prints "only outputs and plots are recorded above 200 coordinates"

# contacts are shaded, in the picture of the run and from its table
model ball <<'M'
coord x, y = 1
kinetic 1/2*(x'^2 + y'^2)
potential 9.81*y
start x' = 1
contact floor: y >= 0, restitution 0.5
contact wall: x <= 2
plot x, y
plot y against x
run 0 .. 4
M
zwang run ball.zw
is 0
has 1 ">floor closed</text>" ball.svg
has 1 ">wall closed</text>" ball.svg
has 1 'fill="url(#zw-shade1)" d="' ball.svg
zwang plot ball.csv --columns x,y --together
is 0
has 1 ">floor closed</text>" ball.plot.svg
bands() {
  grep -E 'fill-opacity=".16" d=' "$1" | grep -o 'h[0-9.]*v' | head -n 1
}
[ -n "$(bands ball.svg)" ] || fail "no band"
zwang plot ball.csv --columns x,y --together --against y
is 0
has 0 " closed</text>" ball.plot.svg # only over time
# an HDF5 file has its contacts itself
zwang plot ball.csv --columns x,y --together
is 0
cp ball.plot.svg of_table.svg
if "$ZWANG" --version | grep -q '^HDF5'; then
  mkdir h5
  zwang run ball.zw --format h5 --out h5
  is 0
  absent h5/ball.contacts.csv
  zwang plot h5/ball.h5 --columns x,y --together
  is 0
  cmp -s ball.plot.svg of_table.svg || fail "from the HDF5 file the picture is another one"
fi
# a log of another run says nothing about this one
zwang run ball.zw --to 3 --out .
is 0
cp ball.contacts.csv other.contacts.csv
zwang run ball.zw
is 0
cp ball.csv other.csv
zwang plot other.csv
is 0
has 0 " closed</text>" other.plot.svg

# ---- going on ----

zwang run ball.zw --to 400 --every 0.0005 -q
is 0
cp ball.svg whole.svg
cp ball.csv whole.csv
rm ball.csv ball.svg ball.contacts.csv
background run ball.zw --to 400 --every 0.0005 --checkpoint 0.01 -q
has_gone_far() { [ -e ball.resume ] && has_bytes ball.csv.part 2000000; }
await_or_end has_gone_far
finish KILL
if [ -e ball.csv.part ]; then
  zwang run ball.zw --to 400 --every 0.0005 --resume -q
  is 0
  cmp -s ball.csv whole.csv || fail "another table"
fi
cmp -s ball.svg whole.svg || fail "after --resume the picture is another one"
done_well
