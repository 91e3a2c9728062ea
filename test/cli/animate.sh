#!/usr/bin/env bash
# Films: pages, SVG that moves, stills and what ffmpeg makes; speeds chosen and given; runs that fail or are ended; wrong options.
. "$(dirname "$0")/lib.bash"
cp "$root/examples/pendulum.zw" "$root/examples/bouncing-ball.zw" .
export TMPDIR=$PWD # where frames of films go

model swing <<'E'
param g = 9.81
coord φ = 1
let P = (sin(φ), -cos(φ))
kinetic 1/2*φ'^2
potential -g*cos(φ)
draw line (0, 0) -> P
draw trail P
draw text P, "<φ> & ", φ
run 0 .. 6
E

# ---- what is written ----

zwang animate swing.zw
is 0
says_nothing
prints "swing: 3 shapes in the plane, t = 0 .. 6" "6 s, 181 frames, 30 per second, at speed 1" "swing.html"
exists swing.html
absent swing.csv swing.svg swing.html.part
grep -q '^<!doctype html>' swing.html || fail "no page"
grep -q '<pre>param g = 9.81' swing.html || fail "the model is not shown"
grep -q '"text":"\\u003cφ> & "' swing.html || fail "the text is not in the data"

zwang animate swing.zw -o moving.svg --quiet
is 0
prints_nothing
[ "$(grep -c 'attributeName="display"' moving.svg)" = 181 ] || fail "there are not 181 sheets"
grep -q '&lt;φ&gt; &amp; 1.000<' moving.svg || fail "the text of the first sheet"
grep -q '<script' moving.svg && fail "a script in an SVG"

# equal input, equal output
zwang animate swing.zw -o again.svg -q
cmp -s moving.svg again.svg || fail "the same film is not the same file"

mkdir films
zwang animate swing.zw --still --out films
is 0
exists films/swing.still.svg
grep -q '>t = 6.00<' films/swing.still.svg || fail "a still is of the end"
grep -q '<g opacity' films/swing.still.svg || fail "no positions before it"
zwang animate swing.zw --still 1.5 -o at.svg
is 0
grep -q '>t = 1.50<' at.svg || fail "a still of the time asked for"
zwang animate --still=0 swing.zw -o at.svg
is 0
grep -q '>t = 0.00<' at.svg || fail "a still of the begin"
zwang animate --still swing.zw -o at.svg # the name of the model is no time
is 0
grep -q '>t = 6.00<' at.svg || fail "a still of the end"

if command -v rsvg-convert >/dev/null; then
  zwang animate swing.zw --still -o at.png
  is 0
  [ "$(head -c 4 at.png | tail -c 3)" = PNG ] || fail "no PNG"
fi

for theme in auto light dark; do
  zwang animate swing.zw --still --theme $theme -o $theme.svg
  is 0
done
[ "$(grep -c prefers-color-scheme auto.svg)" = 1 ] || fail "auto follows the screen"
grep -q prefers-color-scheme light.svg dark.svg && fail "light and dark do not"

zwang animate swing.zw --json --fps 50 --speed 2 --from 1 --to 5
is 0
is_json
json_is status ok
json_is shapes 3
json_is dimensions 2
json_is from 1
json_is to 5
json_is seconds 2
json_is frames 101
json_is fps 50
json_is speed 2
json_is outside false
json_is 'files[0]' swing.html

# ---- the screen ----

mkdir screen
printf '#!/bin/sh\nprintf "%%s" "$1" >shown\n' >screen/xdg-open
chmod +x screen/xdg-open
PATH=$PWD/screen:$PATH zwang animate swing.zw --open
is 0
[ "$(cat shown)" = swing.html ] || fail "the film was not shown"
printf '#!/bin/sh\nexit 3\n' >screen/xdg-open
PATH=$PWD/screen:$PATH zwang animate swing.zw --open --json
is 1
is_json
says "xdg-open could not show 'swing.html'"

# ---- speed ----

zwang animate swing.zw --to 0.01 -o fast.html
is 0
prints "at speed 0.002 (chosen; --speed for another)"
grep -q 'At speed 1 a second shows 0.002 of the model' fast.html || fail "the page does not say its speed"
zwang animate swing.zw --to 1000 -o slow.html
is 0
prints "50 s" "at speed 20 (chosen"
zwang animate swing.zw --to 1000 --speed 1 --fps 60 -o much.html
is 2
says "60001 frames, more than 20000" "--speed"
absent much.html

# ---- events are two rows with one time ----

zwang animate bouncing-ball.zw --json
is 0
is_json
exists bouncing-ball.html

# ---- space ----

model top <<'E'
coord a = 0.5, b
kinetic 1/2*(a'^2 + b'^2)
let P = (cos(a)*cos(b), cos(a)*sin(b), sin(a))
start b' = 1
draw line 0 -> P
run 0 .. 6
E
zwang animate top.zw --still -o usual.svg
is 0
prints "1 shape in space"
zwang animate top.zw --still --view 0,90 -o above.svg
is 0
cmp -s usual.svg above.svg && fail "the view is not another"
zwang animate top.zw --still --view=-60,22 -o same.svg
is 0
cmp -s usual.svg same.svg || fail "the usual view is -60,22"

# ---- a run that fails is shown as far as it went ----

model fails <<'E'
coord x = 1
kinetic 1/2*x'^2
potential sqrt(x)
start x' = -1
draw point (x, 0)
run 0 .. 100
E
zwang animate fails.zw
is 1
says "fails.zw:3" "the film ends at t = "
exists fails.html
prints "fails: 1 shape"
zwang animate fails.zw --json
is 1
is_json
json_is status failed
json_is 'files[0]' fails.html

# a few rows that go far do not make a dot of the rest, and that is said
model spike <<'E'
coord x
kinetic 1/2*x'^2
start x' = 1
draw arrow (0, 0) -> (1, if t > 3 and t < 3.04 then 1e6 else sin(t))
run 0 .. 10
E
zwang animate spike.zw -o spike.html
is 0
says "outside of the picture"
zwang animate spike.zw --json
is_json
json_is outside true

# ---- every example has a drawing, and all are XML ----

mkdir stills
for file in "$root"/examples/*.zw; do
  zwang animate "$file" --still --quiet --out stills
  is 0
done
zwang animate swing.zw -o stills/moving.svg
if command -v python3 >/dev/null; then
  python3 -c 'import sys, xml.dom.minidom; [xml.dom.minidom.parse(file) for file in sys.argv[1:]]' stills/*.svg 2>err ||
    fail "a picture is no XML"
fi

# ---- what is refused ----

refused() { # WORDS...
  is 2
  says "$@"
  absent refused.html refused.svg refused.gif refused.mp4 refused.txt
}
zwang animate swing.zw -o refused.txt
refused "a film ends in .html, .svg, .mp4 or .gif"
zwang animate swing.zw --still -o refused.gif
refused "a still picture ends in .svg or .png"
zwang animate swing.zw --fps 0 -o refused.svg
refused "--fps needs a number of frames per second from 1 to 240, not 0"
zwang animate swing.zw --speed -1 -o refused.svg
refused "--speed needs a number above 0"
zwang animate swing.zw --view 30 -o refused.svg
refused "--view needs two angles in degrees"
zwang animate swing.zw --view 30,100 -o refused.svg
refused "at most 90"
zwang animate swing.zw --theme blue -o refused.svg
refused "--theme knows light, dark and auto, not 'blue'"
zwang animate swing.zw --from 7 -o refused.svg
refused "--from needs a time within the run, 0 to 6, not 7"
zwang animate swing.zw --still=soon -o refused.svg
refused "--still needs a number, not 'soon'"
zwang animate swing.zw --columns x
refused "'zwang animate' has no option '--columns'"
zwang animate
refused "which model?"
zwang animate swing.zw --out nowhere
is 2
says "the output folder 'nowhere' cannot be used"
zwang animate swing.zw -o nowhere/swing.html
is 1
says "nowhere"
cp swing.zw own.svg
zwang animate own.svg -o own.svg
refused "would overwrite a file that the model is made from"
cmp -s swing.zw own.svg || fail "the model was written over"
model wrong <<'E'
coord x
kinetic 1/2*x'^2
draw line (x, 0) -> y
run 0 .. 1
E
zwang animate wrong.zw -o refused.html
refused "wrong.zw:3"

# ---- ffmpeg ----

frames_gone() {
  checks=$((checks + 1))
  [ -z "$(find . -name 'zwang-film-*')" ] || fail "frames were left behind"
}

mkdir empty
PATH=$PWD/empty zwang animate swing.zw -o refused.mp4
refused "made by the program ffmpeg, which is not here" "in the package ffmpeg"

# one that fails: its last words are ours
mkdir broken
printf '#!/bin/sh\necho "first line" >&2\necho "no such codec <today>" >&2\necho >&2\nexit 3\n' >broken/ffmpeg
chmod +x broken/ffmpeg
PATH=$PWD/broken:$PATH zwang animate swing.zw -o refused.mp4
is 1
says "ffmpeg could not make the film: no such codec <today>"
absent refused.mp4 refused.mp4.part
frames_gone

zwang animate swing.zw -o nowhere/film.gif
is 1
says "cannot write \"nowhere/film.gif.part\": No such file or directory"
frames_gone

if command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null; then
  zwang animate swing.zw --to 1 --speed 1 --fps 10 -o swing.mp4
  is 0
  exists swing.mp4
  absent swing.mp4.part
  frames_gone
  ffprobe -loglevel error -show_entries stream=nb_frames,r_frame_rate,pix_fmt swing.mp4 >out
  prints "nb_frames=11" "r_frame_rate=10/1" "pix_fmt=yuv420p"
  # names that a shell, ffmpeg or a pattern of frames could take for something else
  mkdir 'odd %d $(x)'
  for name in "a:b %06d.gif" "-i.gif" '$(touch x); "q".gif'; do
    TMPDIR="$PWD/odd %d \$(x)" zwang animate swing.zw --to 0.2 --speed 0.2 --fps 5 --output="$name"
    is 0
    exists "./$name"
    absent x "./$name.part"
  done
  rmdir odd*
  zwang animate swing.zw --to 1 --speed 1 --fps 10 -o swing.gif
  is 0
  ffprobe -loglevel error -count_frames -show_entries stream=nb_read_frames,codec_name swing.gif >out
  prints "nb_read_frames=11" "codec_name=gif"
  frames_gone
fi

# ---- interrupted ----

model long <<'E'
param w = 1e5
coord x = 1
kinetic 1/2*x'^2
potential 1/2*w^2*x^2
draw point (x, 0)
run 0 .. 1000
E
background animate long.zw -o refused.html
await has_worked 1
finish INT
is 130
says "interrupted at t =" "no film was written"
absent refused.html refused.html.part

done_well
