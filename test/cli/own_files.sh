#!/usr/bin/env bash
# Files of one's own are not lost to results, and names are what they look like.
. "$(dirname "$0")/lib.bash"

# ---- no command replaces a file that it has read, or one that is not of its kind ----

model own <<'E'
param k = 4
coord x = 1
kinetic 1/2*x'^2
potential 1/2*k*x^2
force x = 0.01*table("own.locus.csv", x)
draw circle (0, x), 0.1
run 0 .. 1 every 0.1
E
printf 'x,F\n-2,0\n0,1\n2,0\n' >own.locus.csv
cp own.locus.csv table
zwang linearize own.zw --over k=4,5
is 2
says "'own.locus.csv' would be overwritten, which the model reads; choose another folder with --out DIR"
cmp -s own.locus.csv table || fail "the table is lost"

mkdir results
cp own.zw own.locus.csv results/
cd results
own() {
  echo "my own notes, and nothing else" >"$1"
  file=$1
  shift
  zwang "$@"
  is 2
  says "'$file' is there already and no " "it would be lost"
  [ "$(cat "$file")" = "my own notes, and nothing else" ] || fail "$file is lost"
  rm "$file"
}
own own.csv run own.zw
own own.svg run own.zw
own own.resume run own.zw
own own.sweep.csv sweep own.zw --over k=4,5
own other.html animate own.zw -o other.html
own other.svg animate own.zw -o other.svg
own other.tex derive own.zw -o other.tex
own other.c export own.zw --c -o other.c
own other.h export own.zw --c -o other.c
zwang run own.zw
is 0
own other.svg plot own.csv -o other.svg
own other.csv forces own.zw --motion own.csv -o other.csv
own other.svg forces own.zw --motion own.csv -o other.csv
mkdir far
cp own.zw far/
sed -i '/table/d' far/own.zw
cd far
own own.locus.csv linearize own.zw --over k=4,5
own own.locus.svg linearize own.zw --over k=4,5

# what only looks like it is of its kind: measured rows, pictures and pages of other programs, own code and notes, films of a holiday
alike() { # FILE BYTES COMMAND...
  # shellcheck disable=SC2059
  printf "$2" >"$1"
  cp "$1" before
  file=$1
  shift 2
  zwang "$@"
  is 2
  says "'$file' is there already and no " " that zwang wrote: it would be lost" "move it away, or choose another place"
  cmp -s "$file" before || fail "$file is lost"
  rm "$file"
}
for header in t t,x "t,angle measured by hand" "t,x,v" "t,x',x" "t,x,y,x'" "t,contact,note" "x,x'" "t,k,E"; do
  alike own.csv "$header\n0,1,2,3\n" run own.zw
  alike own.csv.part "$header\n0,1,2,3\n" run own.zw
done
alike own.resume.part "my notes\n" run own.zw
alike own.svg.part "my notes\n" run own.zw
inkscape='<?xml version="1.0" encoding="UTF-8"?>\n<svg width="10" height="10" viewBox="0 0 10 10" xmlns="http://www.w3.org/2000/svg"><text>mine</text></svg>\n'
by_hand='<svg xmlns="http://www.w3.org/2000/svg" width="5" height="5" viewBox="0 0 5 5"><rect font-family="Helvetica"/></svg>\n'
home='<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>My home page</title>\n'
png='\211PNG\r\n\032\n my photograph \0\0\0\0IEND\256B`\202'
for picture in "$inkscape" "$by_hand" "$png"; do
  alike own.svg "$picture" run own.zw
  alike own.still.svg "$picture" animate own.zw --still
  alike own.locus.svg "$picture" linearize own.zw --over k=4,5
  alike other.svg "$picture" plot ../own.csv -o other.svg
done
alike own.html "$home" animate own.zw
alike own.html.part "$home" animate own.zw
for header in member,dues "member,status,reason" "member,k,status,steps,rejected"; do
  alike own.sweep.csv "$header\n1,2,3,4,5\n" sweep own.zw --over k=4,5
  alike own.sweep.csv.part "$header\n1,2,3,4,5\n" sweep own.zw --over k=4,5
done
alike own.locus.csv "case,verdict\n1,guilty\n" linearize own.zw --over k=4,5
alike own.locus.csv.part "case,verdict\n1,guilty\n" linearize own.zw --over k=4,5
zwang run own.zw
is 0
alike other.csv "t,x,x'\n0,1,2\n" forces own.zw --motion own.csv -o other.csv
alike other.csv "t,x,x',E\n0,1,2,3\n" forces own.zw --motion own.csv -o other.csv
alike other.csv.part "t,force\n0,1\n" forces own.zw --motion own.csv -o other.csv
alike own.c "/* The equations of motion of my robot. */\n" export own.zw --c
alike own.h "/* Signs: see The equations of motion of Euler */\n" export own.zw --c
alike own.h.part "my notes\n" export own.zw --c
alike own.tex "%% My thesis, with what zwang derive says\n" derive own.zw --latex -o own.tex
alike own.txt "Coordinates\nof all my friends\n" derive own.zw -o own.txt
alike own.json '{"zwang":"0.1.0","schema":1,"status":"ok"}\n' derive own.zw --json -o own.json
sed 's/ = /  =/' own.zw >loose.zw
alike loose.zw.part "my notes\n" fmt --write loose.zw
if command -v ffmpeg >/dev/null; then
  alike film.gif "GIF89a my holidays ;" animate own.zw -o film.gif
  alike film.mp4 "\0\0\0\030ftypisom my holidays" animate own.zw -o film.mp4
  alike film.gif.part "my notes\n" animate own.zw -o film.gif
  for film in film.gif film.mp4; do
    for _ in 1 2; do
      zwang animate own.zw --fps 5 -o $film
      is 0
    done
  done
  ln -s film.gif link.gif.part
  zwang animate own.zw -o link.gif
  is 1
  says '"link.gif.part": it is a symbolic link'
  [ -L link.gif.part ] || fail "the link is gone"
fi
if command -v rsvg-convert >/dev/null; then
  alike other.png "$png" plot own.csv -o other.png
  for _ in 1 2; do
    zwang plot own.csv -o other.png
    is 0
  done
fi
if zwang run own.zw --format h5 && [ "$status" = 0 ]; then
  zwang run own.zw --format h5
  is 0
  rm own.h5
  alike own.h5 '\211HDF\r\n\032\n my own data' run own.zw --format h5
  alike own.h5.part '\211HDF\r\n\032\n my own data' run own.zw --format h5
fi
# a finished run has nothing to go on with, and removes no notes
echo "my notes" >own.resume
zwang run own.zw --resume
is 0
[ "$(cat own.resume)" = "my notes" ] || fail "the notes are lost"
rm own.resume

# a model that was changed has other columns; its results are still results, also those of earlier versions
{ sed '/^run/d' own.zw && printf "coord y = 2\nkinetic y'^2\noutput d = x - y\nrun 0 .. 1 every 0.1\n"; } >edited.zw
cp own.csv edited.csv
cp own.svg edited.svg
for _ in 1 2; do
  zwang run edited.zw
  is 0
done
cp edited.csv own.csv
zwang run own.zw
is 0
printf 't,contact,what,impulse,friction,friction2,lost\n' >log.contacts.csv
printf 'coord z = 1\nkinetic 1/2*z'"'"'^2\nforce z = -9.81\ncontact z >= 0\nrun 0 .. 0.1\n' >log.zw
zwang run log.zw
is 0
# large models without outputs have time, and what was asked for beside it
printf 'coord x[1..201] = 0\nkinetic sum(i in 1..201: 1/2*x[i]'"'"'^2)\nconstraint tie: x[1] = x[2]\nrun 0 .. 1 every 0.5\n' >bare.zw
for options in "--forces" "--forces" "" "--evidence" "--evidence --forces" "--forces --evidence"; do
  # shellcheck disable=SC2086 # words
  zwang run bare.zw $options
  is 0
done
rm bare.csv
alike bare.csv "t,thrust on x\n0,1\n" run bare.zw --forces
alike bare.csv "t,total energy\n0,1\n" run bare.zw --evidence
alike bare.csv "t,constraints on x,mine\n0,1,2\n" run bare.zw --forces
# large models record no states: their own columns tell
printf 'coord x[1..201] = 0\nkinetic sum(i in 1..201: 1/2*x[i]'"'"'^2)\noutput s = x[1] + 1, r = x[2]\nrun 0 .. 1 every 0.5\n' >large.zw
for options in "" "--record all" ""; do
  # shellcheck disable=SC2086
  zwang run large.zw $options
  is 0
done
rm large.csv
alike large.csv "t,s\n0,1\n" run large.zw

# what is of its kind is replaced, and what is empty
for _ in 1 2; do
  for command in "run own.zw" "sweep own.zw --over k=4,5" "linearize own.zw --over k=4,5" "animate own.zw -o film.html" \
    "animate own.zw -o film.svg" "derive own.zw -o d.txt" "derive own.zw --latex -o d.tex" "derive own.zw --json -o d.json" \
    "export own.zw --c -o e.c" "plot own.csv -o p.svg" "forces own.zw --motion own.csv"; do
    # shellcheck disable=SC2086
    zwang $command
    is 0
  done
done
: >empty.svg
zwang plot own.csv -o empty.svg
is 0
cd ../..

# ---- columns that tables have themselves ----

for name in event status member reason moved steps rejected; do
  printf 'coord x = 1\nkinetic 1/2*x'"'"'^2\noutput %s = 2*x\nrun 0 .. 1\n' $name >column.zw
  zwang run column.zw
  is 2
  says "column.zw:3:8: error: tables of results have a column '$name' of their own"
  printf 'coord x = 1,\n  %s = 2\nkinetic 1/2*x'"'"'^2 + 1/2*%s'"'"'^2\nrun 0 .. 1\n' $name $name >column.zw
  zwang check column.zw
  is 2
  says "column.zw:2:3: error: tables of results have a column '$name' of their own"
  printf 'param %s = 1\ncoord x = 1\nkinetic %s/2*x'"'"'^2\nrun 0 .. 1\n' $name $name >column.zw
  zwang sweep column.zw --over $name=1,2
  is 2
  says "the table of a sweep has a column '$name' of its own"
done

# ---- formatting changes no name ----

model loose <<'E'
coord x = 0, y = 2
kinetic 1/2*x'^2+1/2*y'^2
memory n = 0
plot 2*x+y, -  x ,  x*  (y-1),sum(i in 1 .. 3:x^i)   # so
when x+ y>2.5   and n<1 : n=1
stop when x>   5
start x' = 1
run 0 .. 1
E
zwang fmt loose.zw
is 0
cp out tidy.zw
cmp -s loose.zw tidy.zw && fail "nothing was laid out"
zwang run loose.zw
is 0
zwang run tidy.zw
is 0
cmp loose.csv tidy.csv || fail "fmt has changed the table"
head -n 1 loose.csv | grep -qxF "t,x,y,x',y',2*x + y,-x,x*(y - 1),sum(i in 1..3: x^i),event" || fail "other names"
grep -q "x + y > 2.5 and n < 1" loose.csv || fail "no event"

# ---- names that are not what they seem ----

printf 'param \xc2\xb5 = 1, \xce\xbc = 2\ncoord a = 1, \xd0\xb0 = 2, m\xd0\xb0ss = 1\nkinetic 1/2*(\xc2\xb5 + \xce\xbc)*(a'"'"'^2 + \xd0\xb0'"'"'^2 + m\xd0\xb0ss'"'"'^2)\nrun 0 .. 1\n' >alike.zw
zwang check alike.zw
is 0
says "alike.zw:2:14: note: '$(printf '\xd0\xb0')' looks like 'a' in line 2, but is another name" \
  "looks like '$(printf '\xce\xbc')' in line 1" "mixes alphabets: U+0430 in it looks like 'a'"
[ "$(grep -c note: err)" = 3 ] || fail "three notes expected"
for hidden in '\xe2\x80\x8b' '\xe2\x80\x8d' '\xcd\x8f' '\xef\xb8\x8f' '\xe2\x80\xae' '\xe3\x85\xa4'; do
  # shellcheck disable=SC2059
  printf "coord a${hidden}b = 1\nkinetic 1/2*a${hidden}b'^2\nrun 0 .. 1\n" >hidden.zw
  zwang check hidden.zw
  is 2
  says "hidden.zw:1:8: error: an invisible character (U+" '\u{'
done

# ---- what messages show ----

printf 'coord x = 1\nforce x = table("\033[2Jcam\xe2\x80\xae.csv", t)\nrun 0 .. 1\n' >"$(printf 'od\033[1md.zw')"
zwang check "$(printf 'od\033[1md.zw')"
is 2
grep -q "$(printf '\033')" err && fail "an escape sequence reached the terminal"
grep -q "$(printf '\xe2\x80\xae')" err && fail "the direction of the line was turned"
says 'od\u{1B}[1md.zw:2:17: error:' '\u{1B}[2Jcam\u{202E}.csv'
printf 'x,y\n0,1\n1,\033[31mred\xc2\x9b\n' >cell.csv
printf 'coord x = 1\nkinetic 1/2*x'"'"'^2\nforce x = table("cell.csv", t)\nrun 0 .. 1\n' >cell.zw
zwang run cell.zw
is 2
says 'line 3 of the table' 'a character that cannot be seen (U+001B) stands at the start of a field'
printf 'x,y\n0,1\n1,r\033[31med\xc2\x9b\n' >inside.csv
sed 's/cell.csv/inside.csv/' cell.zw >inside.zw
zwang run inside.zw
is 2
says 'line 3 of the table' "a character that cannot be seen (U+001B) stands after 'r'"
grep -q "$(printf '\033')" err && fail "an escape sequence reached the terminal"
zwang plot cell.csv
[ "$status" != 0 ] || fail "a table of colours was plotted"
grep -q "$(printf '\033')" err && fail "an escape sequence reached the terminal"
echo "$checks checks passed"
