#!/usr/bin/env bash
# sweep --resume: the table of a sweep that was interrupted, killed or cut short becomes, byte for byte, the one that it would have
# become; with another text, other options or another plan nothing is touched.
. "$(dirname "$0")/lib.bash"
cp "$root/examples/pendulum.zw" .
plan=(--over l=0.8..1.2:60 --draw "y'=-1..1" --count 3 --to 4)

# the table as it must be
zwang sweep pendulum.zw "${plan[@]}" --threads 1
is 0
absent pendulum.sweep.resume
cp pendulum.sweep.csv wanted
zwang sweep pendulum.zw "${plan[@]}" --json
cp out whole.json

# left_behind BLOCKS: as a sweep leaves it that a limit on the size of the file has ended; $there rows
left_behind() {
  rm -f pendulum.sweep.csv pendulum.sweep.csv.part pendulum.sweep.resume
  last="zwang sweep with a limit of $1 kB on file sizes"
  status=0
  (ulimit -f "$1" && exec "$ZWANG" sweep pendulum.zw "${plan[@]}" --threads 2) >out 2>err || status=$?
  is 1
  exists pendulum.sweep.csv.part pendulum.sweep.resume
  cp pendulum.sweep.resume kept
  there=$(($(wc -l <pendulum.sweep.csv.part) - 1))
  [ "$there" -gt 2 ] && [ "$there" -lt 180 ] || fail "$there rows"
}
same_table() {
  checks=$((checks + 1))
  cmp -s wanted pendulum.sweep.csv || fail "$1: another table"
  absent pendulum.sweep.csv.part pendulum.sweep.resume
}

left_behind 8
zwang sweep pendulum.zw "${plan[@]}" --resume
is 0
prints "180 members" "180 fine, 0 failed" "resumed      after member $there" "pendulum.sweep.csv (180 rows)"
same_table "after a limit"

for blocks in 2 13 27; do
  left_behind $blocks
  zwang sweep pendulum.zw "${plan[@]}" --resume --threads 3 --json
  is 0
  is_json
  json_is resumed $there
  json_is rows 180
  for key in fine failed steps rejected phi_max phidot_max energy_drift moved; do
    checks=$((checks + 1))
    [ "$(grep -o "\"$key\": *[^,]*" out)" = "$(grep -o "\"$key\": *[^,]*" whole.json)" ] || fail "another $key after $there rows"
  done
  same_table "after $there rows"
done

# rows after the checkpoint, whole or not, are written again; so are all where none was sure yet
left_behind 8
sed -n "$((there + 2)),$((there + 5))p" wanted >>pendulum.sweep.csv.part
printf '21,0.81,0.12,o' >>pendulum.sweep.csv.part
zwang sweep pendulum.zw "${plan[@]}" --resume --kernel interpret
is 0
prints "resumed      after member $there"
same_table "with a torn row"
left_behind 8
sed -n "$((there + 2)),$((there + 5))p" wanted | tr 7 8 >>pendulum.sweep.csv.part
zwang sweep pendulum.zw "${plan[@]}" --resume
is 0
same_table "with wrong rows after those that were sure"
left_behind 8
head -n 1 wanted >pendulum.sweep.csv.part
zwang sweep pendulum.zw "${plan[@]}" --resume
is 0
says "was left before its first row; the sweep begins again"
same_table "without a row"

# killed: what is sure by then stays, and the table becomes what it must
"$ZWANG" sweep pendulum.zw "${plan[@]}" --json >/dev/null
rm -f pendulum.sweep.csv
background sweep pendulum.zw "${plan[@]}" --threads 1
await_or_end has_bytes pendulum.sweep.resume 10
finish KILL
if [ "$status" = 137 ]; then
  zwang sweep pendulum.zw "${plan[@]}" --resume
  is 0
fi
same_table "killed"

# any byte of the journal, or of the file beside it, that is another one: refused, or computed again
left_behind 8
cp pendulum.sweep.csv.part journal
restore() {
  rm -f pendulum.sweep.csv
  cp journal pendulum.sweep.csv.part
  cp kept pendulum.sweep.resume
}
flipped() { # FILE EVERY
  local size at byte
  size=$(wc -c <"$1")
  for ((at = RANDOM % $2; at < size; at += $2)); do
    restore
    byte=$(od -An -tu1 -j $at -N 1 "$1")
    # shellcheck disable=SC2059 # the byte is the format
    printf "\\$(printf %o $((byte ^ (1 << at % 8))))" | dd of="$1" bs=1 seek=$at conv=notrunc 2>/dev/null
    zwang sweep pendulum.zw "${plan[@]}" --resume
    checks=$((checks + 1))
    if [ $status = 0 ]; then cmp -s wanted pendulum.sweep.csv || fail "byte $at of $1 was changed, and it went on"; else is 2; fi
    [ $status = 0 ] || grep -qE 'damaged|of another sweep|cannot be resumed|no checkpoint' err || fail "no reason"
  done
}
flipped pendulum.sweep.csv.part 131
flipped pendulum.sweep.resume 17
restore
zwang sweep pendulum.zw "${plan[@]}" --resume
is 0
same_table "undamaged"

# finished: nothing is left to do
zwang sweep pendulum.zw "${plan[@]}" --resume
is 0
prints "'pendulum.sweep.csv' is finished: it has all 180 members"
same_table "finished"
zwang sweep pendulum.zw --over l=1,2 --to 1 --resume
is 2
says "there is nothing to resume: 'pendulum.sweep.csv' is finished, and no table of this sweep"
same_table "not of another"

# interrupted for real
rm -f pendulum.sweep.csv
background sweep pendulum.zw --over l=1..2:4000 --to 60 --every 0.1 --threads 2
await has_lines pendulum.sweep.csv.part 2
finish INT
is 130
says "and --resume goes on"
exists pendulum.sweep.resume
zwang sweep pendulum.zw --over l=1..2:4000 --to 59 --every 0.1 --resume
is 2
says "'end' was 60 and is 59"
before=$(wc -l <pendulum.sweep.csv.part)
background sweep pendulum.zw --over l=1..2:4000 --to 60 --every 0.1 --resume
await_or_end has_lines pendulum.sweep.csv.part $((before + 20))
finish INT
awk -F, 'NR > 1 && $1 != NR - 1 { exit 1 }' pendulum.sweep.csv.part 2>/dev/null || [ -f pendulum.sweep.csv ] ||
  fail "the members are not in their order"
[ -f pendulum.sweep.csv ] || [ "$(wc -l <pendulum.sweep.csv.part)" -ge "$before" ] || fail "rows were lost"
rm -f pendulum.sweep.csv pendulum.sweep.csv.part pendulum.sweep.resume

# ---- what is refused; nothing is touched ----

other() { # WORDS OPTIONS...
  local words=$1
  shift
  restore
  cp pendulum.sweep.csv.part before
  zwang sweep pendulum.zw "$@" --resume
  is 2
  says "$words"
  checks=$((checks + 1))
  cmp -s before pendulum.sweep.csv.part || fail "the rows were touched"
  cmp -s kept pendulum.sweep.resume || fail "the description was touched"
}
other "is of another sweep: 'tolerance' was 1e-08 and is 1e-06" "${plan[@]}" --tolerance 1e-6
other "is of another sweep: 'time between rows'" "${plan[@]}" --every 0.5
other "is of another sweep: 'integrator' was auto and is explicit" "${plan[@]}" --integrator explicit
other "is of another sweep: 'parameter g'" "${plan[@]}" --set g=9
other "is of another sweep: 'seed' was 1 and is 2" "${plan[@]}" --seed 2
other "is of another sweep" --over l=0.8..1.2:60 --draw "y'=-1..2" --count 3 --to 4
other "is of another sweep" --over l=0.8..1.3:60 --draw "y'=-1..1" --count 3 --to 4
other "is of another sweep: 'members' was 180 and is 120" --over l=0.8..1.2:60 --draw "y'=-1..1" --count 2 --to 4
sed -i 's/^output/# a remark\noutput/' pendulum.zw
other "is of another sweep: the text of 'pendulum.zw' has changed" "${plan[@]}"
cp "$root/examples/pendulum.zw" .

restore
rm pendulum.sweep.resume
zwang sweep pendulum.zw "${plan[@]}" --resume
is 2
says "'pendulum.sweep.resume', which tells what sweep it is of, is missing or damaged"
restore
printf x | dd of=pendulum.sweep.resume bs=1 seek=40 conv=notrunc 2>/dev/null
zwang sweep pendulum.zw "${plan[@]}" --resume
is 2
says "is missing or damaged"
restore
sed -i '10s/^[0-9]*/77/' pendulum.sweep.csv.part
zwang sweep pendulum.zw "${plan[@]}" --resume
is 2
says "'pendulum.sweep.csv.part' is damaged and cannot be resumed"
rm -f pendulum.sweep.csv.part pendulum.sweep.resume
zwang sweep pendulum.zw "${plan[@]}" --resume
is 2
says "there is nothing to resume"
no_results

# members that failed before count
cat >root.zw <<'E2'
param a = 1
coord x = 1
kinetic 1/2*x'^2
force x = -a + 1e-9*sqrt(x)
output r = x
run 0 .. 1
E2
zwang sweep root.zw --over a=0.1..9:60 --json
is 1
is_json
json_is failed "$(grep -c ,failed, root.sweep.csv)"
cp out whole.json
cp root.sweep.csv wanted
last="zwang sweep with a limit on file sizes"
status=0
rm -f root.sweep.csv
(ulimit -f 4 && exec "$ZWANG" sweep root.zw --over a=0.1..9:60) >out 2>err || status=$?
is 1
grep -q ,failed, root.sweep.csv.part || fail "none had failed yet"
zwang sweep root.zw --over a=0.1..9:60 --resume --json
is 1
for key in fine failed failures; do
  checks=$((checks + 1))
  [ "$(grep -o "\"$key\": *[^,]*" out)" = "$(grep -o "\"$key\": *[^,]*" whole.json)" ] || fail "another $key"
done
checks=$((checks + 1))
cmp -s wanted root.sweep.csv || fail "another table"
done_well
