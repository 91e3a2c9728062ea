#!/usr/bin/env bash
# --json: one object on stdout, whatever happens.
. "$(dirname "$0")/lib.bash"
cp "$root/examples/pendulum.zw" .

always() {
  is_json
  json_has zwang schema status errors
  json_is schema 1
}

# fine
zwang run pendulum.zw --json
is 0
says_nothing
always
json_is status ok
json_has model n m rank dof steps rejected evaluations seconds phi_max phidot_max energy_drift moved notes files
json_has redundant from to t tolerance rows energy energy_start
json_is model pendulum
json_is n 2
json_is m 1
json_is rank 1
json_is dof 1
json_is rows 501
json_is energy conserved
json_is moved '[]'
json_is 'files[0]' pendulum.csv
json_is 'files[1]' pendulum.svg
json_is t 10
rm pendulum.csv pendulum.svg

# what moved, what is redundant, notes
model repeated <<'E2'
param unused = 1
coord x = 0, y = 1
kinetic 1/2*(x'^2 + y'^2)
constraint b: y = 1
constraint c: 2*y = 2
run 0 .. 1
E2
zwang run repeated.zw --json
is 0
always
json_is status ok
json_is 'redundant[0]' c
json_is 'notes[0].line' 1
json_has 'notes[0].column' 'notes[0].text' 'notes[0].file'
model shifted <<'E2'
coord x = 0, y = 1
kinetic 1/2*(x'^2 + y'^2)
constraint a: x = 2
run 0 .. 1
E2
zwang run shifted.zw --json
is 0
always
json_is 'moved[0].name' x
json_is 'moved[0].from' 0
case $(json_value 'moved[0].to') in 2 | 2.0000000000* | 1.9999999999*) ;; *) fail "x moved to $(json_value 'moved[0].to')" ;; esac
rm -f -- *.csv *.svg

# refused: a wrong model, a wrong command, no file
model wrong <<'E2'
coord x
kinetic "quoted \ text" + y
E2
zwang run wrong.zw --json
is 2
always
json_is status refused
json_is 'errors[0].file' wrong.zw
json_is 'errors[0].line' 2
json_is 'errors[0].column' 9
json_is 'errors[0].code' ZW_ERR_TYPE
json_is 'errors[1].code' ZW_ERR_NAME
json_has 'errors[0].text' 'errors[1].remedy'
zwang check wrong.zw --json
is 2
always
json_is status refused
for arguments in "run nowhere.zw" "run" "run pendulum.zw --tolerance 0" "run pendulum.zw --out nowhere" \
  "run pendulum.zw --colour" "walk pendulum.zw" "run pendulum.zw --set l" "run pendulum.zw --set q=1" "help me" \
  "run pendulum.zw wrong.zw" "dump pendulum.zw --stage what" "run pendulum.zw --to -1"; do
  # shellcheck disable=SC2086 # several words
  zwang $arguments --json
  is 2
  always
  json_is status refused
  json_has 'errors[0].code' 'errors[0].text' 'errors[0].line' 'errors[0].column' 'errors[0].file'
done
no_results

# strange bytes in a name stay valid JSON
printf 'coord x\nkinetic \001\t"\n' >"odd \"name\".zw"
zwang run "odd \"name\".zw" --json
is 2
always

# failed
model fails <<'E2'
coord x
kinetic 1/2*x'^2
force x = log(1.3 - t)
run 0 .. 2
E2
zwang run fails.zw --json
is 1
always
json_is status failed
json_is 'errors[0].code' ZW_ERR_DOMAIN
json_is 'errors[0].line' 3
json_is 'files[0]' fails.csv.part
json_has steps t rows
no_results_but_part

# check
zwang check pendulum.zw --json
is 0
always
json_is status ok
json_has model n m rank dof moved redundant notes
done_well
