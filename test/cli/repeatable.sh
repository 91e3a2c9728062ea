#!/usr/bin/env bash
# The same input gives the same bytes; the table reads as documented and its digits round-trip.
. "$(dirname "$0")/lib.bash"

for file in "$root"/examples/pendulum.zw "$root"/examples/andrews.zw; do
  name=$(basename "$file" .zw)
  mkdir -p one two
  zwang run "$file" --out one
  is 0
  zwang run "$file" --out two
  is 0
  cmp one/"$name".csv two/"$name".csv || fail "two runs of $name differ"
  cmp one/"$name".svg two/"$name".svg || fail "two pictures of $name differ"
  # and from another folder, with another locale
  mkdir -p three
  (cd three && LC_ALL=de_DE.UTF-8 "$ZWANG" run "$file" >/dev/null)
  cmp one/"$name".csv three/"$name".csv || fail "$name depends on folder or locale"
done

# the header: t, coordinates, velocities, outputs, by the user's names
[ "$(head -n 1 one/pendulum.csv)" = "t,x,y,x',y',angle" ] || fail "the header is $(head -n 1 one/pendulum.csv)"
grep -q "$(printf '\r')" one/pendulum.csv && fail "lines end in CR"
[ "$(awk -F, 'NR == 2 { print $1, $2, $3 }' one/pendulum.csv)" = "0 1 0" ] || fail "the first row is not the start"

# digits: a value printed and read again is the same, and no longer than needed
model digits <<'E2'
coord x
kinetic 1/2*x'^2
output a = 0.1, b = 1/3, c = 0.1 + 0.2, d = 1e-300, e = 123456789.125, f = -0.1, g = 2^0.5, h = 1e22, i = 5e-324
run 0 .. 1 every 1
E2
zwang run digits.zw
is 0
says_nothing
row=$(sed -n 2p digits.csv | cut -d, -f4-)
wanted="0.1,0.3333333333333333,0.30000000000000004,1e-300,123456789.125,-0.1,1.4142135623730951,1e+22,5e-324"
[ "$row" = "$wanted" ] || fail "got $row"
# outputs that are no numbers
model undefined <<'E2'
coord x
kinetic 1/2*x'^2
output a = sqrt(0.5 - t), b = 1/x
run 0 .. 1 every 1
E2
zwang run undefined.zw
is 0
[ "$(sed -n 3p undefined.csv | cut -d, -f4-)" = "nan,inf" ] || fail "got $(sed -n 3p undefined.csv)"
done_well
