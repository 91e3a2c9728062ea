#!/usr/bin/env bash
# zwang examples: the list, one text, copies, refusals.
set -eu

fail() {
  echo "FAILED: $1"
  exit 1
}
exits() {
  local want=$1 got=0
  shift
  "$@" >out 2>err || got=$?
  [ "$got" = "$want" ] || { cat out err; fail "exit status $got instead of $want: $*"; }
}

models=("$ZWANG_ROOT"/examples/*.zw)

# the list names every model in examples/, once, and says something about it
exits 0 "$ZWANG" examples
[ "$(awk 'length > 80' out | wc -l)" = 0 ] || fail "the list is wider than 80 columns"
grep '^  [^ ]' out | tr -d ' ' >listed
for model in "${models[@]}"; do basename "$model" .zw; done | LC_ALL=C sort >expected
LC_ALL=C sort listed | cmp -s - expected || { diff listed expected; fail "the list"; }
grep -A1 '^  kepler$' out | tail -1 | grep -q "^      Kepler's problem from the perihelion" || fail "what kepler is about"
exits 0 "$ZWANG" examples --json
grep -q '"status":"ok"' out || fail "no status in the JSON list"
[ "$(grep -o '"name":' out | wc -l)" = "${#models[@]}" ] || fail "the JSON list"
grep -q '{"name":"pendulum","about":"Pendulum in Cartesian coordinates: a mass on a rod, released from the horizontal"}' out ||
  fail "pendulum in the JSON list"

# one text is printed as it is in examples/
for model in "${models[@]}"; do
  exits 0 "$ZWANG" examples "$(basename "$model" .zw)"
  cmp -s out "$model" || fail "$model is not printed as it is"
done
exits 0 "$ZWANG" examples pendulum.zw
cmp -s out "$ZWANG_ROOT/examples/pendulum.zw" || fail "pendulum.zw"

# copies
exits 0 "$ZWANG" examples --copy pendulum
cmp -s pendulum.zw "$ZWANG_ROOT/examples/pendulum.zw" || fail "the copy differs"
[ "$(cat out)" = pendulum.zw ] || fail "the copy is not named"
"$ZWANG" check pendulum.zw --quiet
mkdir some
exits 0 "$ZWANG" examples --copy kepler appell.zw --out some
[ "$(ls some | tr '\n' ' ')" = "appell.zw kepler.zw " ] || fail "copies of two"
mkdir all
exits 0 "$ZWANG" examples --copy all --out=all
for model in "${models[@]}"; do cmp -s "$model" "all/$(basename "$model")" || fail "copy all: $model"; done
[ "$(ls all | wc -l)" = "${#models[@]}" ] || fail "copy all writes other files"

# what exists is never overwritten, and then nothing is written at all
echo mine >pendulum.zw
exits 2 "$ZWANG" examples --copy pendulum
grep -q "'pendulum.zw' exists already" err || fail "the existing file is not named"
[ "$(cat pendulum.zw)" = mine ] || fail "a file was overwritten"
exits 2 "$ZWANG" examples --copy all
[ "$(ls -- *.zw)" = pendulum.zw ] || fail "something was written beside an existing file"

# wrong commands
exits 2 "$ZWANG" examples pendulm
grep -q "did you mean 'pendulum'?" err || fail "no suggestion"
exits 2 "$ZWANG" examples --copy keppler
grep -q "did you mean 'kepler'?" err || fail "no suggestion for a copy"
exits 2 "$ZWANG" examples xyzzyxyzzy
grep -q "lists them" err || fail "no hint for an unknown name"
exits 2 "$ZWANG" examples --copy
exits 2 "$ZWANG" examples kepler appell
exits 2 "$ZWANG" examples --copy kepler --out nowhere
[ ! -e nowhere ] || fail "a folder was made"
echo "examples are fine"
