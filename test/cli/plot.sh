#!/usr/bin/env bash
# Pictures of stored results: finished tables, journals whole and torn, columns by name and pattern, and wrong files.
. "$(dirname "$0")/lib.bash"
cp "$root/examples/pendulum.zw" "$root/examples/bouncing-ball.zw" .
zwang run pendulum.zw --forces
is 0
cp pendulum.svg of_the_run.svg
cp pendulum.csv of_the_run.csv

# panels FILE: the names of its panels, in order, one line
panels() {
  sed -n 's/^<text x="[0-9]*" y="[0-9]*" font-size="13">\([^<]*\).*/\1/p' "$1" | tr '\n' ' '
}
draws() { # FILE NAMES...
  local file=$1
  shift
  checks=$((checks + 1))
  exists "$file"
  [ "$(panels "$file")" = "$* " ] || fail "$file shows '$(panels "$file")', not '$* '"
}

# ---- what is drawn ----

zwang plot pendulum.csv
is 0
says_nothing
prints "pendulum: 501 rows, t = 0 .. 10" "drawn        x, y, angle" "pendulum.plot.svg"
draws pendulum.plot.svg x y angle
cmp -s pendulum.svg of_the_run.svg || fail "the picture of the run was written over"
cmp -s pendulum.csv of_the_run.csv || fail "the result was touched"
# the same curves as the run itself drew
diff <(grep '^<path' pendulum.svg) <(grep '^<path' pendulum.plot.svg) >/dev/null || fail "other curves than those of the run"

zwang plot pendulum.csv --columns "y,x'"
is 0
draws pendulum.plot.svg y "x'"
zwang plot pendulum.csv --columns y --columns x,y -o chosen.svg
is 0
draws chosen.svg y x
zwang plot pendulum.csv --columns "reaction(rod),rod on x" --output chosen.svg
is 0
draws chosen.svg "reaction(rod)" "rod on x"
zwang plot pendulum.csv --columns "*on ?" -o chosen.svg
is 0
draws chosen.svg "rod on x" "rod on y" "constraints on x" "constraints on y"
mkdir pictures
zwang plot pendulum.csv --out pictures -q
is 0
prints_nothing
draws pictures/pendulum.plot.svg x y angle

zwang plot pendulum.csv --against x --columns "x',y" -o phase.svg
is 0
prints "drawn        x', y against x"
draws phase.svg "x'" y
grep -q 'font-style="italic">x<' phase.svg || fail "the axis below is not called x"
zwang plot pendulum.csv --against x -o phase.svg
is 0
draws phase.svg y angle

zwang plot pendulum.csv --json --columns x
is 0
is_json
json_is status ok
json_is rows 501
json_is unfinished false
json_is to 10
json_is against t
json_is 'columns[0]' x
json_is 'files[0]' pendulum.plot.svg

# names with dots, brackets, quotes and commas
cat >odd.csv <<'T'
t,b[1].x,b[2].x,"say ""x, y""","f(a,b)"
0,1,2,3,4
1,2,3,4,nan
2,3,4,5,inf
T
zwang plot odd.csv --columns 'b[1].x,f(a,b)'
is 0
draws odd.plot.svg 'b[1].x' 'f(a,b)'
zwang plot odd.csv --columns 'b[?].x'
is 0
draws odd.plot.svg 'b[1].x' 'b[2].x'
zwang plot odd.csv --columns 'say "x, y"'
is 0
draws odd.plot.svg 'say &quot;x, y&quot;'
# CR LF, a mark of UTF-8, no newline at the end: as spreadsheets write it
printf '\357\273\277t,x\r\n0,1\r\n1,2' >sheet.csv
zwang plot sheet.csv --json
is 0
is_json
json_is rows 2
draws sheet.plot.svg x

# an event is two rows with the same t: the line goes straight up
zwang run bouncing-ball.zw
is 0
zwang plot bouncing-ball.csv --columns "y'" -o jump.svg
is 0
draws jump.svg "y'"
# the first bounce: from 0 to its height without going on in time, as in "... 0-123 ..."
grep -qE '^<path [^>]*stroke-width="1.5"[^>]* 0-[0-9]{2,}' jump.svg || fail "no jump is drawn"

# ---- journals ----

head -n 100 pendulum.csv >going.csv.part
zwang plot going.csv.part
is 0
says "note: 'going.csv.part' is of an unfinished run, up to t = 1.96"
prints "going: 99 rows"
draws going.plot.svg x y angle
grep -q "Unfinished" going.plot.svg || fail "the picture does not say that it is unfinished"
# cut anywhere: what is whole is drawn
size=$(wc -c <going.csv.part)
header=$(head -n 1 going.csv.part | wc -c)
for cut in $((header)) $((header + 1)) $((header + 60)) 1000 2345 $((size - 1)); do
  head -c "$cut" going.csv.part >torn.csv.part
  zwang plot torn.csv.part --json
  is 0
  is_json
  json_is unfinished true
  json_is rows "$(($(wc -l <torn.csv.part) - 1))"
done
says "its last row is cut short and left out"
head -c $((header - 3)) going.csv.part >torn.csv.part
zwang plot torn.csv.part
is 2
says "torn.csv.part:1:1: error: the names of the columns are cut short"

# ---- what is refused ----

refused() { # WORDS...
  is 2
  says "$@"
  absent refused.svg refused.svg.part
}
zwang plot pendulum.csv --columns angel -o refused.svg
refused "'pendulum.csv' has no column 'angel'; did you mean 'angle'?" "there are: t, x, y, x', y', angle, reaction(rod)"
zwang plot pendulum.csv --columns 'z*' -o refused.svg
refused "has no column 'z*'"
zwang plot pendulum.csv --columns 'x,,y' -o refused.svg
refused "has no column ''"
zwang plot pendulum.csv --against angel -o refused.svg
refused "did you mean 'angle'?"
cut -d, -f1-9 pendulum.csv >few.csv
zwang plot few.csv --columns '*' -o refused.svg
is 0
rm refused.svg
awk 'BEGIN { printf "t"; for (i = 1; i <= 14; i++) printf ",x%d", i; print ""; for (k = 0; k < 3; k++) { printf "%d", k; for (i = 1; i <= 14; i++) printf ",%d", i * k; print "" } }' >wide.csv
zwang plot wide.csv --columns '*' -o refused.svg
refused "more than 12 columns in one picture"
zwang plot wide.csv
is 0
prints "x12 (of 14)"
grep -q "2 more columns are in the file" wide.plot.svg || fail "the picture does not say what it leaves out"
zwang plot -o refused.svg
refused "which result? write: zwang plot FILE.csv"
zwang plot nowhere.csv -o refused.svg
refused "cannot read 'nowhere.csv': No such file or directory"
zwang plot . -o refused.svg
refused "Is a directory"
zwang plot pendulum.csv wide.csv -o refused.svg
refused "one result at a time"
zwang plot pendulum.csv -o pendulum.csv
is 2
says "would overwrite the result it is made from"
cmp -s pendulum.csv of_the_run.csv || fail "the result was touched"
zwang plot pendulum.csv -o nowhere/p.svg
is 1
says "cannot write \"nowhere/p.svg"

wrong() { # LINE:COLUMN WORDS...
  local place=$1
  shift
  zwang plot wrong.csv -o refused.svg
  refused "wrong.csv:$place: error: " "$@"
  zwang plot wrong.csv -o refused.svg --json
  is 2
  is_json
  json_is status refused
  json_is 'errors[0].line' "${place%:*}"
  json_is 'errors[0].column' "${place#*:}"
}
: >wrong.csv
wrong 1:1 "the file is empty"
printf '0,1\n1,2\n' >wrong.csv
wrong 1:1 "the names of the columns expected, not '0'"
printf 't,x\n0,1\n1,zwei\n' >wrong.csv
wrong 3:3 "a number expected, not 'zwei'"
printf 't,x\n0,1\n1,\n' >wrong.csv
wrong 3:3 "a number expected, not ''"
printf 't,x\n0,1\n\n1,2\n' >wrong.csv
wrong 3:1 "a number expected"
printf 't,x\n0,1\n1,2,3\n' >wrong.csv
wrong 3:4 "this row has 3 fields and the first line 2"
printf 't,x,y\n0,1,2\n1,2\n' >wrong.csv
wrong 3:4 "this row has 2 fields and the first line 3"
printf 't,x\n0,1\n1,\0002\n' >wrong.csv
wrong 3:3 "a number expected"
printf 't,"x\n0,1\n' >wrong.csv
wrong 1:3 "a name expected"
printf 't,x,event\n0,1,\n1,2,"a"b\n' >wrong.csv
wrong 3:5 "the name of an event expected"
head -c 20000 "$ZWANG" >wrong.csv
zwang plot wrong.csv -o refused.svg
refused "wrong.csv:1:"

# ---- a large one: read in little memory ----

awk 'BEGIN { srand(1); print "t,a,b,c,d,e,f,g"; for (i = 0; i < 60000; i++) { printf "%.17g", i / 100; for (k = 0; k < 7; k++) printf ",%.17g", rand(); print "" } }' >large.csv
last="zwang plot large.csv in little memory"
status=0
(ulimit -v 60000 2>/dev/null; exec "$ZWANG" plot large.csv -o large.svg) >out 2>err || status=$?
if grep -qi sanitizer err; then echo "left out: little memory, with a sanitizer"; else is 0; fi

# a model is no result
model pendulum <<'M'
coord x
kinetic 1/2*x'^2
run 0 .. 1
M
zwang plot pendulum.zw
is 2
says "is a model, not a result"
done_well
