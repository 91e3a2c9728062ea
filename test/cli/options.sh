#!/usr/bin/env bash
# The options of run and check, and what is said about wrong ones.
. "$(dirname "$0")/lib.bash"
cp "$root/examples/pendulum.zw" .

rows() {
  echo $(($(wc -l <"$1") - 1))
}

last_t() {
  tail -n 1 "$1" | cut -d, -f1
}

# the summary
zwang run pendulum.zw
is 0
says_nothing
prints "pendulum: 2 coordinates, 1 constraint of rank 1, 1 degree of freedom" "start        consistent" \
  "t = 0 .. 10, tolerance 1e-08" " accepted, " " rejected, " " evaluations, " "|phi| <= " "|phi'| <= " \
  "energy       conserved, relative drift " "pendulum.csv (501 rows), pendulum.svg"
exists pendulum.csv pendulum.svg
absent pendulum.csv.part

# --to, --every
zwang run pendulum.zw --to 2
is 0
[ "$(last_t pendulum.csv)" = 2 ] || fail "it ends at $(last_t pendulum.csv)"
[ "$(rows pendulum.csv)" = 501 ] || fail "$(rows pendulum.csv) rows"
zwang run pendulum.zw --to=2 --every=0.3
is 0
[ "$(rows pendulum.csv)" = 8 ] || fail "$(rows pendulum.csv) rows"
zwang run pendulum.zw --every 20
is 0
[ "$(rows pendulum.csv)" = 2 ] || fail "$(rows pendulum.csv) rows"

# --tolerance
zwang run pendulum.zw --tolerance 1e-4
is 0
prints "tolerance 0.0001"
zwang run pendulum.zw --tolerance 1e-13
is 0
prints "tolerance 1e-13"
rm -f pendulum.csv pendulum.svg
wrong() { # VALUE WORDS
  zwang run pendulum.zw --tolerance "$1"
  is 2
  says "$2"
  no_results
  zwang check pendulum.zw --tolerance "$1"
  is 2
  says "$2"
}
wrong 0 "the tolerance must be positive: this is 0"
wrong -1 "the tolerance must be positive: this is -1"
wrong 1e-20 "the tolerance must be at least 1e-13"
wrong 1 "the tolerance must be at most 0.1: this is 1"
wrong nan "--tolerance needs a number, not 'nan'"
wrong inf "--tolerance needs a number, not 'inf'"
wrong 1e-8x "--tolerance needs a number, not '1e-8x'"
wrong "" "--tolerance needs a number, not ''"
zwang run pendulum.zw --every 0
is 2
says "the time between rows must be positive"
zwang run pendulum.zw --every -1
is 2
says "the time between rows must be positive"
zwang run pendulum.zw --every 1e-12
is 2
says "would give more than 1e9 of them"
zwang run pendulum.zw --to 0
is 2
says "the run must end after it begins"
zwang run pendulum.zw --to
is 2
says "--to needs a value"
no_results

# --set
zwang run pendulum.zw --set g=0 --set l=1 --json
is 0
is_json
json_is energy_start 0
zwang run pendulum.zw --set 'l=sqrt(4)/2' --set 'g=2*pi' --quiet
is 0
says_nothing
prints_nothing
first=$(cksum <pendulum.csv)
zwang run pendulum.zw --set l=1 --set g=6.283185307179586 --quiet
is 0
[ "$(cksum <pendulum.csv)" = "$first" ] || fail "an expression is not its value"
zwang run pendulum.zw --set l=5 --set g=6.283185307179586 --set l=1 --quiet
is 2
says "'l' is set twice; leave one --set out"
zwang run pendulum.zw --set l=1 --set l=1
is 2
zwang run pendulum.zw --set l=2
is 0
prints "x moved from 1 to 2"
rm -f pendulum.csv pendulum.svg
# names with accents: composed and decomposed are the same, on the command line too
printf 'param m\303\251 = 1\ncoord x\nkinetic me\314\201*x'\''^2\nforce x = 4\nrun 0 .. 1\noutput e\314\201 = x\n' >accents.zw
zwang run accents.zw --set "$(printf 'me\314\201=2')" --quiet
is 0
[ "$(head -n 1 accents.csv)" = "$(printf "t,x,x',\303\251")" ] || fail "columns: $(head -n 1 accents.csv)"
first=$(cksum <accents.csv)
zwang run accents.zw --set "$(printf 'm\303\251=2')" --quiet
is 0
[ "$(cksum <accents.csv)" = "$first" ] || fail "--set does not know both forms of a name"
rm accents.*

zwang run pendulum.zw --set q=3
is 2
says "the model has no parameter 'q' to set"
zwang run pendulum.zw --set x=3
is 2
says "the model has no parameter 'x' to set" "it is not a parameter"
zwang run pendulum.zw --set l=2*
is 2
says "--set l:1:3: error: expected a value"
zwang run pendulum.zw --set 'l=1 2'
is 2
says "--set l:1:3: error: expected the end of the expression"
zwang run pendulum.zw --set l=t
is 2
says "must be a constant"
zwang run pendulum.zw --set l=1/0
is 2
says "the parameter 'l' has no finite value"
zwang run pendulum.zw --set m=0
is 2
says "pendulum.zw:4:1: error:" "'y'" "give it a mass that is not zero"
zwang run pendulum.zw --set m=-1
is 2
says "negative mass (-1)"
for text in l =3 l= ''; do
  zwang run pendulum.zw --set "$text"
  is 2
  says "--set needs name=value, as in --set m=2.5, not '$text'"
done
no_results

# --out
mkdir -p here/there
zwang run pendulum.zw --out here/there
is 0
prints "here/there/pendulum.csv (501 rows), here/there/pendulum.svg"
exists here/there/pendulum.csv here/there/pendulum.svg
absent pendulum.csv
zwang run ./pendulum.zw --out here/
is 0
exists here/pendulum.csv
rm -rf here
mkdir elsewhere
(cd elsewhere && last=elsewhere && "$ZWANG" run ../pendulum.zw >/dev/null && [ -s pendulum.csv ]) ||
  fail "the results do not go into the current folder"
absent pendulum.csv
rm -rf elsewhere

# --quiet
model noted <<'E2'
param unused = 1
coord x = 1
kinetic 1/2*x'^2
run 0 .. 1
E2
zwang run noted.zw
is 0
says "note: the parameter 'unused' is never used"
zwang run noted.zw -q
is 0
says_nothing
prints_nothing
zwang check noted.zw --quiet
is 0
says_nothing
prints_nothing
zwang run pendulum.zw --quiet --to 0
is 2
says "error:"
rm -f noted.*

# check writes nothing
zwang check pendulum.zw
is 0
prints "2 coordinates, 1 constraint of rank 1, 1 degree of freedom"
no_results

# names that are not plain
cp pendulum.zw "a b.c.zw"
zwang run "a b.c.zw" --to 1
is 0
exists "a b.c.csv" "a b.c.svg"
cp pendulum.zw bare
zwang run bare --to 1
is 0
exists bare.csv
cp pendulum.zw -- -dash.zw
zwang run --to 1 -- -dash.zw
is 0
exists ./-dash.csv
rm -f -- *.csv *.svg ./-dash.zw

# options that are not there
zwang run pendulum.zw --tolerence 1e-3
is 2
says "unknown option '--tolerence'; did you mean '--tolerance'?"
zwang run pendulum.zw --tol 1e-3
is 2
says "unknown option '--tol'; did you mean '--tolerance'?"
zwang run pendulum.zw --josn
is 2
says "did you mean '--json'?"
zwang run pendulum.zw --sett l=1
is 2
says "did you mean '--set'?"
zwang run pendulum.zw -x
is 2
says "unknown option '-x'"
zwang run pendulum.zw --colour
is 2
says "unknown option '--colour'"
zwang check pendulum.zw --out .
is 2
says "'zwang check' has no option '--out'"
zwang run pendulum.zw --stage text
is 2
says "'zwang run' has no option '--stage'"
zwang run pendulum.zw --json=yes
is 2
says "'--json' takes no value"
zwang run pendulum.zw --record some
is 2
says "--record knows 'all', not 'some'"
zwang run pendulum.zw pendulum.zw
is 2
says "one model at a time"
no_results
done_well
