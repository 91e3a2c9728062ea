#!/usr/bin/env bash
# Runs that are killed (SIGKILL) at any moment, resumed and killed again: no row that was written is ever lost, the journal can
# always be read, and what is finished at last is the same, byte for byte, as a run that nobody disturbed.
# A fixed sample of moments; many with ZW_LONG.
. "$(dirname "$0")/lib.bash"
rounds=${ZW_LONG:+40}
rounds=${rounds:-2}
RANDOM=20261116

cp "$root/examples/double-pendulum.zw" long.zw
model hopping <<'E'
coord x = 1, y = 0
memory count = 0, sign_of = 1
kinetic 1/2*x'^2 + 1/2*y'^2
potential 9.81*x
force y = -0.2*abs(y' - 1) + sign_of
when x < 0: x' = -x', count = count + 1, sign_of = -sign_of
output n = count
run 0 .. 10
E

model bouncing <<'E'
coord x[1..3]
for i in 1..3 {
  kinetic 1/2*i*x[i]'^2
  contact low[i]: x[i] >= 0, restitution 0.9999
  contact high[i]: x[i] <= 1, restitution 0.9999
  start x[i] = 0.2*i, x[i]' = 3 - i/3
}
run 0 .. 10
E

# bytes, 0 if it is not there
size_of() {
  if [ -f "$1" ]; then wc -c <"$1"; else echo 0; fi
}

# The journals of a run: rows, and the log of contacts if it has one.
journals() {
  if [ -f "whole/$1.contacts.csv" ]; then echo "$1.csv $1.contacts.csv"; else echo "$1.csv"; fi
}

# is_begin_of PART WHOLE: byte for byte, a torn last row too
is_begin_of() {
  checks=$((checks + 1))
  cmp -s -n "$(size_of "$1")" "$1" "$2" || fail "$1 is not the begin of $2"
}

# disturb NAME OPTIONS...: kills and resumes until it is done
disturb() {
  local name=$1 kills=0 now until_size whole_size resume="" file
  local -A before=()
  shift
  whole_size=$(size_of "whole/$name.csv")
  rm -rf here
  mkdir here
  while :; do
    # shellcheck disable=SC2086 # none or one
    background run "$name.zw" "$@" --out here --checkpoint 0.02 $resume
    last="$last, after $kills kills"
    # after some it is let alone, so that it ends; when to kill is told by the journal, not by a clock
    if [ $kills -lt 5 ]; then
      now=$(size_of "here/$name.csv.part")
      until_size=$((now + (whole_size - now) * RANDOM / 100000))
      await_or_end has_bytes "here/$name.csv.part" $until_size
      finish KILL
    else
      finish
    fi
    [ $status = 137 ] || break
    kills=$((kills + 1))
    for file in $(journals "$name"); do
      [ -f "here/$file.part" ] || continue
      is_begin_of "here/$file.part" "whole/$file"
      now=$(size_of "here/$file.part")
      [ "$now" -ge "${before[$file]:-0}" ] || fail "$file.part had ${before[$file]} bytes and has $now"
      before[$file]=$now
      if [ "$(wc -l <"here/$file.part")" -gt 1 ]; then
        "$ZWANG" plot "here/$file.part" -o killed.svg >plotted 2>&1 || fail "the journal cannot be read: $(cat plotted)"
      fi
    done
    # killed before there was a journal: there is nothing to resume
    resume=--resume
    [ -f "here/$name.csv.part" ] || [ -f "here/$name.csv" ] || resume=""
  done
  is 0
  all_kills=$((all_kills + kills))
  for file in $(journals "$name"); do
    cmp -s "here/$file" "whole/$file" || fail "$file is another one than that of a run nobody disturbed"
    # killed between the table and the picture: the table is what counts
    if [ -f "here/${file%.csv}.svg" ]; then
      cmp -s "here/${file%.csv}.svg" "whole/${file%.csv}.svg" || fail "the picture is another one"
    fi
    absent "here/$file.part"
  done
  absent "here/$name.resume"
  checks=$((checks + 2))
}

mkdir whole
all_kills=0
for options in "long --to 200 --every 0.005" "long --to 100 --every 0.002 --forces --evidence" "hopping --to 500 --every 0.01" \
  "bouncing --to 300 --every 0.05" "bouncing --to 100 --every 0.02 --evidence --sensitivity start.x[1],start.x[2]'"; do
  # shellcheck disable=SC2086 # several words
  set -- $options
  name=$1
  shift
  zwang run "$name.zw" "$@" --out whole
  is 0
  for ((round = 0; round < rounds; round++)); do disturb "$name" "$@"; done
done
[ $all_kills -ge $((rounds * 4)) ] || fail "only $all_kills kills"
echo "$all_kills kills"
done_well
