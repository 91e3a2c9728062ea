#!/usr/bin/env bash
# --resume: what it goes on with, what it refuses and why. (killed.sh looks at the rows.)
. "$(dirname "$0")/lib.bash"
cp "$root/examples/pendulum.zw" .
cat >lift.csv <<'T'
x,lift
0,0
1,0.5
2,0.3
3,0
T
model cam <<'E'
param m = 2, w = 0.001
coord y
kinetic 1/2*m*y'^2
potential 9.81*m*y
constraint cam: y = 0.01*table("lift.csv", 1.5 + sin(w*t))
run 0 .. 10
E

# start ARGUMENTS...: in the background, until there is a checkpoint; then interrupted
interrupt() {
  background "$@" --checkpoint 0.01
  await is_there "$name.resume"
  finish "${signal:-INT}"
}

# ---- interrupted, and to a later end ----

name=pendulum
zwang run pendulum.zw --to 500 --every 0.05 --out .
is 0
mv pendulum.csv whole.csv
mv pendulum.svg whole.svg
interrupt run pendulum.zw --to 1e7 --every 0.05
is 130
says "and --resume goes on"
exists pendulum.csv.part pendulum.resume
whole_rows pendulum.csv.part
cp pendulum.csv.part kept.csv.part
cp pendulum.resume kept.resume
# interrupted with Ctrl-C nothing is behind the checkpoint: every row is kept as it was
t=$(tail -n 1 pendulum.csv.part | cut -d, -f1)
end=$(awk -v t="$t" 'BEGIN { print int(t) + 20 }')
zwang run pendulum.zw --to "$end" --resume --json
is 0
is_json
json_is status ok
json_is to "$end"
[ "$(json_value resumed_at)" != null ] || fail "it does not say where it went on"
cmp -s -n "$(wc -c <kept.csv.part)" kept.csv.part pendulum.csv || fail "rows of before have changed"
[ "$(tail -n 1 pendulum.csv | cut -d, -f1)" = "$end" ] || fail "it ends elsewhere"
[ "$(json_value rows)" = "$(($(wc -l <pendulum.csv) - 1))" ] || fail "rows are counted wrongly"
absent pendulum.csv.part pendulum.resume
# every row once, at its own time
awk -F, 'NR > 1 { d = $1 - (NR - 2) * 0.05; if (d > 1e-9 || d < -1e-9) bad = NR } END { exit bad != 0 }' pendulum.csv ||
  fail "a row is missing or there twice"
# finished is finished
zwang run pendulum.zw --to "$end" --every 0.05 --resume
is 0
prints "'pendulum.csv' is finished: it ends at t = $end"
zwang run pendulum.zw --to "$end" --every 0.05 --resume --json
is 0
is_json
json_is finished true
cp pendulum.csv finished.csv
zwang run pendulum.zw --to 1e7 --resume
is 2
says "there is nothing to resume: 'pendulum.csv' is finished, and ends at t = $end"
cmp -s pendulum.csv finished.csv || fail "a finished result was touched"
rm pendulum.csv pendulum.svg

# a run that ended by an event is finished too
model falling <<'E'
coord y = 1
kinetic 1/2*y'^2
potential 9.81*y
stop when y < 0
run 0 .. 10
E
zwang run falling.zw
is 0
zwang run falling.zw --resume
is 0
prints "'falling.csv' is finished: it ends at t = 0.4515236"

# ---- two at once ----

mkdir two
background run pendulum.zw --to 1e7 --every 0.05 --out two --checkpoint 0.01
await is_there two/pendulum.resume
mv out first.out
mv err first.err
for options in "" --resume; do
  # shellcheck disable=SC2086 # none or one
  zwang run pendulum.zw --to 1e7 --every 0.05 --out two $options
  is 1
  says "\"two/pendulum.csv.part\": another process is writing it"
done
finish INT
is 130
whole_rows two/pendulum.csv.part
exists two/pendulum.resume
rm -r two

# ---- nothing to go on with ----

zwang run pendulum.zw --resume
is 2
says "there is nothing to resume: neither 'pendulum.csv.part' nor 'pendulum.csv' is there" "run the model without --resume"
zwang run pendulum.zw --resume --json
is 2
is_json
json_is status refused
# rows without a checkpoint: from the begin, and what is the same stays
head -n 40 whole.csv >pendulum.csv.part
zwang run pendulum.zw --to 500 --every 0.05 --resume
is 0
says "note: 'pendulum.csv.part' was left before its first checkpoint; the run begins again"
cmp -s pendulum.csv whole.csv || fail "another result"
cmp -s pendulum.svg whole.svg || fail "another picture"
rm pendulum.csv pendulum.svg
printf 't,other,other'"'"'\n0,1,2\n' >pendulum.csv.part
zwang run pendulum.zw --to 500 --every 0.05 --resume
is 0
cmp -s pendulum.csv whole.csv || fail "another result"
rm pendulum.csv pendulum.svg

# ---- another run ----

restore() {
  cp kept.csv.part pendulum.csv.part
  cp kept.resume pendulum.resume
  cp "$root/examples/pendulum.zw" .
}
differs() { # WORDS, then OPTIONS...
  local words=$1
  shift
  zwang run pendulum.zw --to 1e7 --resume "$@"
  is 2
  says "'pendulum.resume' is of another run: $words" "give the model and the options of the run that was ended"
  cmp -s pendulum.csv.part kept.csv.part || fail "the journal was touched"
  cmp -s pendulum.resume kept.resume || fail "the checkpoint was touched"
  absent pendulum.csv pendulum.svg
}
restore
differs "'tolerance' was 1e-08 and is 1e-10" --every 0.05 --tolerance 1e-10
differs "'time between rows' was 0.05 and is 0.1" --every 0.1
differs "'parameter m' was 1 and is 3" --every 0.05 --set m=3
differs "'formulation' was auto and is lagrange" --every 0.05 --formulation lagrange
differs "'energy' was free and is held" --every 0.05 --conserve energy
differs "'rows' was 6 columns and is 15 columns with forces" --every 0.05 --forces
differs "'rows' was 6 columns and is 10 columns with evidence" --every 0.05 --evidence
sed -i 's/atan2(x, -y)/atan2(x, -y)*1/' pendulum.zw
differs "the text of 'pendulum.zw' has changed" --every 0.05
echo "output more = x" >>pendulum.zw
differs "'rows' was 6 columns and is 7 columns" --every 0.05
restore
zwang run pendulum.zw --to 0.5 --every 0.05 --resume
is 2
says "the run is at t = " "behind its end --to 0.5"

# a table that the model reads is part of it
name=cam
interrupt run cam.zw --to 1e9 --every 1
is 130
sed -i 's/0.5/0.6/' lift.csv
zwang run cam.zw --to 1e9 --every 1 --resume
is 2
says "the text of 'lift.csv' has changed"

# ---- damaged ----

damaged() {
  zwang run pendulum.zw --to 1e7 --every 0.05 --resume
  is 2
  says "the checkpoint 'pendulum.resume' is damaged or cannot be read" "to begin again leave out --resume"
  cmp -s pendulum.csv.part kept.csv.part || fail "the journal was touched"
}
restore
size=$(wc -c <kept.resume)
for cut in 0 10 100 $((size / 2)) $((size - 1)); do
  head -c "$cut" kept.resume >pendulum.resume
  damaged
done
for at in 3 30 $((size / 2)) $((size - 20)) $((size - 1)); do
  cp kept.resume pendulum.resume
  was=$(od -An -tu1 -j "$at" -N 1 kept.resume)
  # shellcheck disable=SC2059 # the format is the byte: any but the one that is there
  printf "\\$(printf '%03o' $((255 - was)))" | dd of=pendulum.resume bs=1 seek="$at" conv=notrunc 2>/dev/null
  damaged
done
# a journal that lost rows the checkpoint counts, or changed under it
restore
head -n 3 kept.csv.part >pendulum.csv.part
zwang run pendulum.zw --to 1e7 --every 0.05 --resume
is 2
says "and should have at least"
sed '1s/angle/engel/' kept.csv.part >pendulum.csv.part
zwang run pendulum.zw --to 1e7 --every 0.05 --resume
is 2
says "has other columns"
sed '5s/^0/x/' kept.csv.part >pendulum.csv.part
zwang run pendulum.zw --to 1e7 --every 0.05 --resume
is 2
says "it was changed or damaged"

# ---- a full disk ----

rm -f pendulum.* ; cp "$root/examples/pendulum.zw" .
last="zwang run with a limit on file sizes"
status=0
(ulimit -f 400 && exec "$ZWANG" run pendulum.zw --to 500 --every 0.05 --checkpoint 0.005) >out 2>err || status=$?
is 1
says "File too large"
exists pendulum.csv.part pendulum.resume
zwang run pendulum.zw --to 500 --every 0.05 --resume
is 0
cmp -s pendulum.csv whole.csv || fail "another result than without a full disk"
cmp -s pendulum.svg whole.svg || fail "another picture"
absent pendulum.resume

# a new run leaves no old checkpoint behind; the model is not written over
cp kept.resume pendulum.resume
zwang run pendulum.zw
is 0
absent pendulum.resume
cp pendulum.zw pendulum.resume
mkdir -p sub
zwang run pendulum.resume --out . --to 1
is 0
exists pendulum.resume.csv pendulum.resume
ln -s ../pendulum.zw sub/pendulum.resume
zwang run pendulum.zw --out sub
is 2
says "the run would overwrite 'sub/pendulum.resume', which the model reads"
for wrong in -1 nan x; do
  zwang run pendulum.zw --checkpoint "$wrong"
  is 2
  says "--checkpoint"
done
done_well
