#!/usr/bin/env bash
# run -o F.csv: the table has the name that was asked for, and all that is told of files holds for it.
. "$(dirname "$0")/lib.bash"
model ball <<'E'
param g = 9.81
coord y = 1
kinetic 1/2*y'^2
potential g*y
contact floor: y >= 0, restitution 0.8
run 0 .. 1 every 0.05
E
zwang run ball.zw
is 0
mkdir one two plain
mv ball.* plain/
cp plain/ball.zw .

# the same rows under another name, and everything beside them
zwang run ball.zw -o one/fall.csv
is 0
prints "one/fall.csv (" "one/fall.svg" "one/fall.contacts.csv"
for file in csv svg contacts.csv contacts.svg; do
  cmp -s "one/fall.$file" "plain/ball.$file" || fail "one/fall.$file is not what it is without -o"
done
[ "$(ls one)" = "$(printf '%s\n' fall.contacts.csv fall.contacts.svg fall.csv fall.svg)" ] || fail "$(ls one)"
absent ball.csv ball.svg ball.contacts.csv

# --out says where the others go; -o is taken from the working folder
zwang run ball.zw --output one/steep.csv --out two
is 0
exists one/steep.csv two/steep.svg two/steep.contacts.csv two/steep.contacts.svg
absent one/steep.svg one/steep.contacts.csv two/steep.csv
zwang run ball.zw -o here.csv --json
is 0
is_json
json_is "files[0]" here.csv
exists here.csv here.svg

# names that are none
for name in fall fall.txt .csv one/.csv one ""; do
  zwang run ball.zw -o "$name"
  is 2
  says "the table of a run is a CSV file: -o NAME.csv, not '$name'"
done
zwang run ball.zw -o three/fall.csv
is 2
says "the output folder 'three' cannot be used"
zwang run ball.zw -o here.csv/fall.csv
is 2
says "'here.csv' is not a folder"

# what is the user's own stays
printf 't,angle\n0,1\n' >mine.csv
zwang run ball.zw -o mine.csv
is 2
says "'mine.csv' is there already and no table of a run that zwang wrote: it would be lost"
[ "$(tail -n 1 mine.csv)" = 0,1 ] || fail "mine.csv is lost"
echo drawn >mine2.svg
zwang run ball.zw -o mine2.csv
is 2
says "'mine2.svg' is there already and no picture"
absent mine2.csv mine2.csv.part
printf 't,y\n0,1\n1,1\n' >drive.csv
model reads <<'E'
coord y = 1
kinetic 1/2*y'^2
force y = table("drive.csv", t)
run 0 .. 1 every 0.5
E
zwang run reads.zw -o drive.csv
is 2
says "the run would overwrite 'drive.csv', which the model reads; choose another file with -o"
[ "$(wc -l <drive.csv)" = 3 ] || fail "drive.csv is lost"

# a run that is ended goes on under the same name only
background run ball.zw -o one/long.csv --to 1e7 --every 0.05 --set g=0 --checkpoint 0.01
await is_there one/long.resume
finish INT
is 130
says "one/long.csv.part holds the rows up to there, and --resume goes on"
exists one/long.csv.part one/long.contacts.csv.part
t=$(tail -n 1 one/long.csv.part | cut -d, -f1)
zwang run ball.zw -o one/long.csv --to "$(awk -v t="$t" 'BEGIN { print t + 100 }')" --set g=0 --resume
is 0
exists one/long.csv one/long.contacts.csv
absent one/long.resume one/long.csv.part
zwang run ball.zw -o one/other.csv --resume
is 2
says "there is nothing to resume: neither 'one/other.csv.part' nor 'one/other.csv' is there"
zwang run ball.zw -o one/fall.csv --resume
is 0
prints "'one/fall.csv' is finished"

# one process writes a table
background run ball.zw -o one/both.csv --to 1e7 --every 0.05 --set g=0
await is_there one/both.csv.part
"$ZWANG" run ball.zw -o one/both.csv --to 1e7 --set g=0 >second.out 2>second.err && fail "two wrote one table" || true
grep -q "one/both.csv.part" second.err || fail "the second says: $(cat second.err)"
finish INT

# HDF5
zwang run ball.zw --format h5 -o one/deep.csv
is 2
says "-o NAME.h5, not 'one/deep.csv'"
zwang run ball.zw --format h5 -o one/deep.h5
if [ $status = 0 ]; then
  exists one/deep.h5 one/deep.svg
  absent one/deep.csv one/deep.csv.part
  zwang run ball.zw --format csv,h5 -o one/wide.csv --out two
  is 0
  exists one/wide.csv two/wide.h5
else
  says "--format h5"
fi
done_well
