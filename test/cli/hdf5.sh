#!/usr/bin/env bash
# --format h5: which files there are, when they are there, and what is refused. (cross.hdf5 looks at every number.)
. "$(dirname "$0")/lib.bash"
cp "$root/examples/pendulum.zw" "$root/examples/bouncing-ball.zw" .

zwang run pendulum.zw --format xls
is 2
says "--format knows csv, h5 and csv,h5, not 'xls'"
zwang run pendulum.zw --format csv
is 0
exists pendulum.csv
absent pendulum.h5
rm pendulum.csv pendulum.svg

zwang --version
is 0
if grep -q "HDF5 cannot be used" out; then
  # built without: refused before anything is computed
  zwang run pendulum.zw --format h5
  is 2
  says "HDF5 cannot be used" "without --format h5 the result is a table"
  no_results
  printf '\211HDF\r\n\032\n0000000000000000000000000' >some.h5
  zwang plot some.h5
  is 2
  says "HDF5 cannot be used"
  done_well
  exit 0
fi
prints "HDF5 1."

# ---- the files ----

zwang run pendulum.zw --format h5
is 0
says_nothing
prints "files        pendulum.h5 (501 rows), pendulum.svg"
exists pendulum.h5 pendulum.svg
absent pendulum.csv pendulum.csv.part pendulum.h5.part pendulum.resume
cp pendulum.h5 first.h5
zwang run pendulum.zw --format csv,h5 --json
is 0
is_json
json_is 'files[0]' pendulum.csv
json_is 'files[1]' pendulum.h5
json_is 'files[2]' pendulum.svg
[ "$(head -n 1 pendulum.csv)" = "t,x,y,x',y',angle,reaction(rod),rod on x,rod on y,constraints on x,constraints on y,constraints on x (b),constraints on y (b),constraints on x (h),constraints on y (h),|phi|,|phi'|,total energy,total work" ] ||
  fail "the columns are $(head -n 1 pendulum.csv)"
zwang run pendulum.zw --format=h5 --json
is 0
is_json
json_is 'files[0]' pendulum.h5
json_is 'files[1]' pendulum.svg
cmp -s pendulum.csv pendulum.csv || fail "the table of before was touched"
rm -f pendulum.h5 pendulum.csv

# ---- pictures of it: the same as of the table ----

zwang run bouncing-ball.zw --format csv,h5
is 0
zwang plot bouncing-ball.csv --columns "y,y',count" -o csv.svg
is 0
zwang plot bouncing-ball.h5 --columns "y,y',count" -o h5.svg --json
is 0
is_json
json_is unfinished false
cmp -s csv.svg h5.svg || fail "the pictures differ"
zwang plot bouncing-ball.h5 --columns yy
is 2
says "'bouncing-ball.h5' has no column 'yy'" "there are: t, y, y', count"
size=$(wc -c <bouncing-ball.h5)
for cut in 8 100 2000 $((size / 2)) $((size - 100)); do
  head -c "$cut" bouncing-ball.h5 >cut.h5
  zwang plot cut.h5
  is 2
  says "'cut.h5' is an HDF5 file that is damaged or not complete"
done
cp bouncing-ball.h5 changed.h5
printf 'X' | dd of=changed.h5 bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
zwang plot changed.h5
is 2
says "damaged"
head -c 4 bouncing-ball.h5 >cut.h5
zwang plot cut.h5
is 2
says "cut.h5:1:1: error:"
absent cut.plot.svg changed.plot.svg

# ---- failed, interrupted, resumed ----

model hole <<'E'
coord x = 1
kinetic 1/2*x'^2
force x = -1 - 0.1*sqrt(x)
run 0 .. 10
E
zwang run hole.zw --format h5
is 1
exists hole.csv.part
absent hole.h5 hole.h5.part

zwang run pendulum.zw --to 800 --every 0.05 --format h5
is 0
mv pendulum.h5 whole.h5
mv pendulum.svg whole.svg
# older good files stay until the new one is whole
cp first.h5 pendulum.h5
background run pendulum.zw --to 800 --every 0.05 --format h5 --checkpoint 0.01
await_or_end is_there pendulum.resume
finish KILL
if [ "$status" = 137 ]; then
  exists pendulum.csv.part pendulum.resume
  cmp -s pendulum.h5 first.h5 || fail "the file of before was touched"
  zwang run pendulum.zw --to 800 --every 0.05 --resume
  is 2
  says "is of another run: 'rows' was 19 columns with forces with evidence"
  zwang run pendulum.zw --to 800 --every 0.05 --resume --format h5
  is 0
  absent pendulum.csv.part pendulum.resume
fi
# but for the command line, which is part of it, nothing differs
zwang plot pendulum.h5 --columns "x,y,x',y',reaction(rod),rod on*,|phi*,total*" -o resumed.svg
is 0
zwang plot whole.h5 --columns "x,y,x',y',reaction(rod),rod on*,|phi*,total*" -o never_ended.svg
is 0
sed -e 's/whole/pendulum/g' never_ended.svg | cmp -s - resumed.svg || fail "the resumed result is another one"
cmp -s pendulum.svg whole.svg || fail "the picture is another one"
zwang run pendulum.zw --to 800 --every 0.05 --resume --format h5
is 0
prints "'pendulum.h5' is finished: it ends at t = 800"

# a full disk, right when the file is written: the journal stays, and --resume makes the file later
rm -f pendulum.h5 pendulum.svg
last="zwang run --format h5 with a limit on file sizes"
status=0
(ulimit -f 128 && exec "$ZWANG" run pendulum.zw --to 3 --every 0.01 --format h5 --checkpoint 0) >out 2>err || status=$?
if [ "$status" = 1 ]; then
  says "cannot write \"pendulum."
  exists pendulum.csv.part
  absent pendulum.h5
  zwang run pendulum.zw --to 3 --every 0.01 --format h5 --resume
fi
is 0
exists pendulum.h5
absent pendulum.csv.part pendulum.h5.part pendulum.resume
mkdir busy busy/pendulum.h5
zwang run pendulum.zw --out busy --format h5
is 1
says "cannot write \"busy/pendulum.h5.part\" (its name)"
exists busy/pendulum.csv.part
absent busy/pendulum.h5.part

# the model reads the file that would be written
mkdir reads
cp pendulum.zw reads/m.zw
ln -s m.zw reads/m.h5
zwang run reads/m.zw --out reads --format h5
is 2
says "the run would overwrite 'reads/m.h5', which the model reads"
# ---- claims ----

cp "$root/examples/bg99-pendulum.zw" .
zwang run bg99-pendulum.zw --format h5
is 0
grep -qaE "holds [-0-9.e+]+ [-0-9.e+]+ [-0-9.e+]+ BG99" bg99-pendulum.h5 ||
  fail "the claims are not in the file"
zwang run pendulum.zw --format h5
is 0
! grep -qaE "(holds|fails) [-0-9.e+]+ " pendulum.h5 || fail "claims of a model without any"
done_well
