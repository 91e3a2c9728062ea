#!/usr/bin/env bash
# Ctrl-C, a polite end and a rude one: what was computed stays, as whole rows in the .part, and nothing else.
. "$(dirname "$0")/lib.bash"
cp "$root/examples/pendulum.zw" long.zw

# start ARGUMENTS...: a run that takes very long, in the background; waits until rows are there
start() {
  last="zwang $*"
  rm -f long.csv.part out err
  "$ZWANG" "$@" >out 2>err &
  child=$!
  for _ in $(seq 1200); do
    [ -f long.csv.part ] && [ "$(wc -l <long.csv.part)" -gt 2 ] && return
    kill -0 $child 2>/dev/null || break
    sleep 0.05
  done
  fail "no rows after a minute"
}

finish() {
  status=0
  wait $child || status=$?
}

for signal in INT TERM HUP; do
  start run long.zw --to 1e7 --every 0.01
  kill -$signal $child
  finish
  is 130
  says "interrupted at t = " "long.csv.part holds the rows up to there, and --resume goes on"
  prints "long.csv.part"
  no_results_but_part
  whole_rows long.csv.part
  # the last row is where the message says
  rows=$(($(wc -l <long.csv.part) - 1))
  prints "($rows rows"
done

start run long.zw --to 1e7 --every 0.01 --json
kill -INT $child
finish
is 130
is_json
json_is status interrupted
json_is 'files[0]' long.csv.part
json_has n m rank dof steps rejected evaluations seconds phi_max phidot_max energy_drift moved notes errors
no_results_but_part
whole_rows long.csv.part

start run long.zw --to 1e7 --every 0.01 --quiet
kill -INT $child
finish
is 130
prints_nothing
no_results_but_part

# killed: what was flushed is there, at least once a second (a write that was going on may be cut short)
start run long.zw --to 1e7 --every 0.01
sleep 1.2
kill -KILL $child
finish 2>/dev/null
is 137
no_results_but_part
whole_rows_but_last long.csv.part

# few rows are flushed too
start run long.zw --to 1e7 --every 1000
sleep 0.2
kill -KILL $child
finish 2>/dev/null
is 137
whole_rows_but_last long.csv.part

# the next run takes the .part over
zwang run long.zw --to 1
is 0
exists long.csv long.svg
absent long.csv.part
whole_rows long.csv
absent long.resume
done_well
