#!/usr/bin/env bash
# Ctrl-C, a polite end and a rude one: what was computed stays, as whole rows in the .part, and nothing else.
. "$(dirname "$0")/lib.bash"
cp "$root/examples/pendulum.zw" long.zw

# start ARGUMENTS...: a run that takes very long, in the background; waits until rows are there
start() {
  rm -f long.csv.part
  background "$@"
  await has_lines long.csv.part 2
}

for signal in INT TERM HUP; do
  start run long.zw --to 1e7 --every 0.01
  finish $signal
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
finish INT
is 130
is_json
json_is status interrupted
json_is 'files[0]' long.csv.part
json_has n m rank dof steps rejected evaluations seconds phi_max phidot_max energy_drift moved notes errors
no_results_but_part
whole_rows long.csv.part

start run long.zw --to 1e7 --every 0.01 --quiet
finish INT
is 130
prints_nothing
no_results_but_part

# killed: what was flushed is there (a write that was going on may be cut short)
start run long.zw --to 1e7 --every 0.01
await has_lines long.csv.part 10000
finish KILL
is 137
no_results_but_part
whole_rows_but_last long.csv.part

# few rows are flushed too
start run long.zw --to 1e7 --every 1000
await has_lines long.csv.part 5
finish KILL
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
