#!/usr/bin/env bash
# Files that are not what they seem: fifos that nobody writes, links in place of a .part, limits of file sizes, and rows that were
# changed after their checkpoint. Nothing hangs, nothing is followed, nothing is lost, and every refusal has a message.
. "$(dirname "$0")/lib.bash"

# in_time ARGUMENTS...   as zwang, which is not to wait for anybody; what takes it a moment takes no quarter of an hour anywhere
in_time() {
  last="zwang $*"
  status=0
  timeout 900 "$ZWANG" "$@" >out 2>err || status=$?
  [ "$status" != 124 ] || fail "it hangs"
}

model falls <<'E'
param k = 9.81
coord x = 1
kinetic 1/2*x'^2
potential 1/2*k*x^2
draw circle (0, x), 0.1
run 0 .. 1 every 0.01
E

# ---- fifos and devices ----

mkfifo pipe.csv pipe.zw
model reads <<'E'
coord x = 1
kinetic 1/2*x'^2
force x = table("pipe.csv", t)
run 0 .. 1
E
in_time run reads.zw
is 2
says "reads.zw:3:17: error: 'pipe.csv' cannot be used: it is no regular file"
model uses <<'E'
use "pipe.zw"
coord x = 1
kinetic 1/2*x'^2
run 0 .. 1
E
in_time run uses.zw
says "cannot be used: it is no regular file"
in_time plot pipe.csv
[ "$status" != 0 ] || fail "a fifo was plotted"
says "it is no regular file"
in_time forces falls.zw --motion pipe.csv
[ "$status" != 0 ] || fail "a fifo was followed"
says "it is no regular file"
mkfifo falls.csv.part
in_time run falls.zw
is 1
says 'cannot write "falls.csv.part": it is no regular file'
in_time run falls.zw --resume
[ "$status" != 0 ] || fail "a fifo was gone on with"
[ -p falls.csv.part ] || fail "the fifo is gone"
rm falls.csv.part
: >falls.csv.part
mkfifo falls.resume
in_time run falls.zw --resume
is 2
says "the checkpoint 'falls.resume' is damaged or cannot be read"
rm falls.csv.part falls.resume

# in the place of a result it is refused at once, by every command, and stays; so does one in the place of a checkpoint
in_time run falls.zw
is 0
mv falls.csv motion.csv
rm falls.svg
refuses_pipe() {
  mkfifo "$1"
  pipe=$1
  shift
  in_time "$@"
  is 2
  says "'$pipe' is there already and no regular file"
  [ -p "$pipe" ] || fail "the fifo is gone"
  rm "$pipe"
}
for pipe in falls.csv falls.svg falls.resume; do refuses_pipe $pipe run falls.zw; done
refuses_pipe falls.h5 run falls.zw --format h5
for pipe in falls.sweep.csv falls.sweep.resume; do refuses_pipe $pipe sweep falls.zw --over k=1,2; done
for pipe in falls.locus.csv falls.locus.svg; do refuses_pipe $pipe linearize falls.zw --over k=1,2; done
for pipe in falls.forces.csv falls.forces.svg; do refuses_pipe $pipe forces falls.zw --motion motion.csv; done
refuses_pipe motion.plot.svg plot motion.csv
for pipe in film.html film.svg; do refuses_pipe $pipe animate falls.zw -o $pipe; done
for pipe in falls.c falls.h; do refuses_pipe $pipe export --c falls.zw; done
refuses_pipe falls.tex derive falls.zw --latex -o falls.tex
# the pipe of a shell has a reader, and what is printed goes through one
in_time plot motion.csv -o >(cat >shown.svg)
is 0
in_time plot motion.csv -o /dev/stdout
is 0
rm -f falls.csv falls.svg motion.csv

# ---- links ----

echo "my own" >mine
for part in falls.csv.part falls.svg.part; do
  ln -s mine $part
  in_time run falls.zw
  is 1
  says "\"$part\": it is a symbolic link"
  [ "$(cat mine)" = "my own" ] || fail "a link was followed"
  [ -L $part ] || fail "the link is gone"
  rm -f $part falls.csv falls.csv.part
done
ln -s mine falls.csv.part
in_time run falls.zw --resume
[ "$status" != 0 ] || fail "a link was gone on with"
[ "$(cat mine)" = "my own" ] || fail "a link was followed"
rm falls.csv.part
for file in falls.sweep.csv falls.locus.csv film.html derived.tex exported.c; do
  ln -s mine $file.part
  case $file in
    *.sweep.csv) in_time sweep falls.zw --over k=1,2 ;;
    *.locus.csv) in_time linearize falls.zw --over k=1,2 ;;
    film.html) in_time animate falls.zw -o $file ;;
    derived.tex) in_time derive falls.zw -o $file ;;
    exported.c) in_time export falls.zw --c -o $file ;;
  esac
  is 1
  says "it is a symbolic link"
  [ "$(cat mine)" = "my own" ] || fail "a link was followed: $file"
  rm $file.part
done

# ---- a limit of file sizes: a message and exit status 1, in every command that writes ----

zwang run falls.zw
is 0
mkdir limited
limited() {
  last="zwang $* (files of 1 kB at most)"
  status=0
  (ulimit -f 1 && exec "$ZWANG" "$@") >out 2>err || status=$?
  is 1
  [ -s err ] || fail "no message"
}
model long <<'E'
param a = 1.25, b = 2.25
coord x[1..30] = 1
kinetic sum(i in 1..30: 1/2*x[i]'^2)
potential sum(i in 1..30: a/2*x[i]^2)
draw circle (0, x[1]), 0.1
run 0 .. 1 every 0.01
E
printf 'coord x =1\n%s\nkinetic 1/2*x'"'"'^2\nrun 0 .. 1\n' "$(yes '# nothing but a remark' | head -n 200)" >loose.zw
cp loose.zw kept.zw
limited run long.zw --out limited
limited sweep long.zw --over a=1,2,3,4 --out limited
limited linearize long.zw --over a=1,2,3,4 --out limited
limited animate long.zw -o limited/film.html
limited derive long.zw -o limited/derived.tex
limited export long.zw --c -o limited/exported.c
limited plot falls.csv -o limited/plotted.svg
limited forces falls.zw --motion falls.csv --out limited
limited fmt -w loose.zw
cmp -s loose.zw kept.zw || fail "fmt has lost the text"

# ---- rows that are no longer those of the checkpoint ----

model swings <<'E'
coord a = 1
kinetic 1/2*a'^2
potential -cos(a)
run 0 .. 1e6 every 0.5
E
background run swings.zw --checkpoint 0.05 -q
await is_there swings.resume
finish KILL
cp swings.csv.part whole.part
cp swings.resume whole.resume
bytes=$(grep -a '^bytes ' swings.resume | cut -d' ' -f2)
for place in 2 $((bytes / 3)) $((bytes / 2)) $((bytes - 4)); do
  cp whole.part swings.csv.part
  cp whole.resume swings.resume
  byte=$(dd if=whole.part bs=1 skip="$place" count=1 2>/dev/null)
  [ "$byte" = 7 ] && byte=8 || byte=7
  printf '%s' "$byte" | dd of=swings.csv.part bs=1 seek="$place" conv=notrunc 2>/dev/null
  in_time run swings.zw --resume
  [ "$status" != 0 ] || fail "rows that were changed at byte $place were gone on with"
  grep -qE 'it was changed or damaged|has other columns|cannot be gone on with' err || fail "no reason"
done
# and each kind of number in the checkpoint
size=$(stat -c %s whole.resume)
cp whole.part swings.csv.part
for place in $(seq 3 $((size / 40)) $((size - 1))); do
  cp whole.resume swings.resume
  byte=$(dd if=whole.resume bs=1 skip="$place" count=1 2>/dev/null | od -An -tx1 | tr -d ' \n')
  [ "$byte" = 37 ] && byte=8 || byte=7
  printf '%s' "$byte" | dd of=swings.resume bs=1 seek="$place" conv=notrunc 2>/dev/null
  in_time run swings.zw --resume
  is 2
  says "the checkpoint 'swings.resume' is damaged or cannot be read"
done
rm -f swings.*

# ---- a sweep that was ended before its first row ----

for left in nothing names half; do
  rm -f falls.sweep.*
  zwang sweep falls.zw --over k=1,2
  is 0
  mv falls.sweep.csv whole.sweep
  case $left in
    nothing) : >falls.sweep.csv.part ;;
    names) head -n 1 whole.sweep >falls.sweep.csv.part ;;
    half) head -c $(($(head -n 1 whole.sweep | wc -c) + 5)) whole.sweep >falls.sweep.csv.part ;;
  esac
  in_time sweep falls.zw --over k=1,2 --resume
  is 0
  says "was left before its first row; the sweep begins again"
  cmp -s falls.sweep.csv whole.sweep || fail "another table"
done
echo "$checks checks passed"
