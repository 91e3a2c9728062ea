#!/usr/bin/env bash
# The SVG is well-formed and can be drawn; many panels and many coordinates.
. "$(dirname "$0")/lib.bash"

well_formed() {
  checks=$((checks + 1))
  exists "$1"
  grep -q '</svg>' "$1" || fail "$1 has no end"
  local looked=no
  if command -v xmllint >/dev/null; then
    xmllint --noout "$1" 2>err || fail "$1 is not well-formed"
    looked=yes
  fi
  if command -v rsvg-convert >/dev/null; then
    rsvg-convert "$1" -o picture.png 2>err || fail "$1 cannot be drawn"
    exists picture.png
    rm picture.png
    looked=yes
  fi
  if [ $looked = no ]; then # at least every tag is closed
    local open close
    open=$(grep -o '<[a-z][a-z]*[ >]' "$1" | wc -l)
    close=$(grep -oE '</[a-z]+>|/>' "$1" | wc -l)
    [ "$open" = "$close" ] || fail "$open tags opened, $close closed in $1"
  fi
}

for file in "$root"/examples/pendulum.zw "$root"/examples/andrews.zw; do
  zwang run "$file"
  is 0
  well_formed "$(basename "$file" .zw).svg"
done

# values that make a plot hard: constant, not finite, huge, tiny, names with markup
model hard <<'E2'
coord x
kinetic 1/2*x'^2
start x' = 1
output constant = 3, zero = 0, huge = 1e300*(1 + x), tiny = 1e-300*x, gap = sqrt(0.3 - x), pole = 1/(x - 0.5), never = 1/0*x
output λ = sin(100*x)
run 0 .. 1
E2
zwang run hard.zw
is 0
well_formed hard.svg
cp hard.zw 'a <b> & "c".zw'
zwang run 'a <b> & "c".zw'
is 0
well_formed 'a <b> & "c".svg'

# coordinates N [OUTPUTS]: free particles
particles() {
  for ((i = 1; i <= $1; i++)); do
    echo "coord x$i = $i"
    echo "kinetic 1/2*x$i'^2"
  done
  for ((i = 1; i <= ${2:-0}; i++)); do echo "output y$i = 2*x$i"; done
  echo "run 0 .. 1 every 0.1"
}

# twelve panels at most; outputs first, and the picture says that there is more
particles 12 >twelve.zw
zwang run twelve.zw
is 0
well_formed twelve.svg
grep -q "more are in" twelve.svg && fail "twelve panels are not too many"
particles 15 3 >many.zw
zwang run many.zw
is 0
well_formed many.svg
grep -q "6 more are in many.csv" many.svg || fail "the picture does not say that panels are left out"
grep -q '>y3<' many.svg || fail "an output is left out before coordinates"
[ "$(head -n 1 many.csv | tr ',' '\n' | wc -l)" = 34 ] || fail "the table does not have all columns"

# up to 200 coordinates all are recorded, above that only outputs
particles 200 1 >all.zw
zwang run all.zw
is 0
[ "$(head -n 1 all.csv | tr ',' '\n' | wc -l)" = 402 ] || fail "not all columns"
particles 201 2 >some.zw
zwang run some.zw
is 0
prints "only outputs are recorded above 200 coordinates; --record all records everything"
[ "$(head -n 1 some.csv)" = "t,y1,y2" ] || fail "the header is $(head -n 1 some.csv)"
well_formed some.svg
zwang run some.zw --record all
is 0
grep -q "only outputs" out && fail "everything is recorded"
[ "$(head -n 1 some.csv | tr ',' '\n' | wc -l)" = 405 ] || fail "not all columns"
# and without outputs there is nothing to draw, which is no mistake
particles 201 >none.zw
zwang run none.zw
is 0
[ "$(head -n 1 none.csv)" = t ] || fail "the header is $(head -n 1 none.csv)"
absent none.svg
done_well
