#!/usr/bin/env bash
# How stored results are drawn: together, against each other, on logarithmic scales, light and dark, as PNG, on the screen, in the
# terminal.
. "$(dirname "$0")/lib.bash"
cp "$root/examples/pendulum.zw" "$root/examples/bouncing-ball.zw" .
zwang run pendulum.zw
is 0
zwang run bouncing-ball.zw
is 0

count() { # WORDS FILE
  grep -oF -- "$1" "$2" | wc -l
}
has() { # NUMBER WORDS FILE
  checks=$((checks + 1))
  [ "$(count "$2" "$3")" = "$1" ] || fail "$3 has $(count "$2" "$3") times '$2', not $1"
}
well_formed() {
  checks=$((checks + 1))
  if command -v xmllint >/dev/null; then xmllint --noout "$1" 2>err || fail "$1 is not well-formed"; fi
}
refused() { # WORDS...
  is 2
  says "$@"
  absent refused.svg refused.png
}
curve='stroke-width="1.5"'
sample='stroke-width="2"'

# ---- together ----

zwang plot pendulum.csv --columns "x,y,x'" --together -o together.svg
is 0
prints "drawn        x, y, x'"
well_formed together.svg
has 3 "$curve" together.svg
has 3 "$sample" together.svg
has 1 'font-style="italic">t<' together.svg
for name in x y "x'"; do has 1 "font-size=\"13\">$name</text>" together.svg; done
has 4 stroke-dasharray together.svg # two of the three curves, and their samples
awk 'BEGIN { printf "t"; for (i = 1; i <= 30; i++) printf ",x%d", i; print ""; for (k = 0; k < 3; k++) { printf "%d", k; for (i = 1; i <= 30; i++) printf ",%d", i * k; print "" } }' >wide.csv
zwang plot wide.csv --together --columns '*' -o refused.svg
refused "more than 28 columns in one panel"
zwang plot wide.csv --together -o wide.svg
is 0
has 28 "$curve" wide.svg
has 1 "2 more columns are in the file" wide.svg

# ---- against ----

zwang plot pendulum.csv --columns y --against x -o phase.svg
is 0
zwang plot pendulum.csv --columns y --against x --equal -o equal.svg
is 0
cmp -s phase.svg equal.svg && fail "--equal changes nothing"
sed 's/^t,x,y/t,P.x,P.y/' pendulum.csv >vector.csv
zwang plot vector.csv --columns P.y --against P.x -o vector.svg
is 0
diff <(grep "$curve" equal.svg) <(grep "$curve" vector.svg) >/dev/null || fail "components of a vector have two scales"
zwang plot vector.csv --columns "x'" --against P.x -o vector.svg
is 0
diff <(grep "$curve" equal.svg) <(grep "$curve" vector.svg) >/dev/null && fail "other things have one scale"
zwang plot pendulum.csv --equal -o refused.svg
refused "--equal is for a plot --against another column"
zwang plot pendulum.csv --columns y --against x --equal --log y -o refused.svg
refused "--equal and --log do not go together"

# ---- logarithmic ----

cat >decay.csv <<'T'
t,e,sign
0,1000,1
1,100,-1
2,10,0
3,1,1
4,0.1,1
T
zwang plot decay.csv --log y -o log.svg
is 0
well_formed log.svg
for label in 1000 100 10 1 0.1; do grep -qE ">$label</text>" log.svg || fail "no tick at $label"; done
has 1 "2 points are not positive and not on the logarithmic scale" log.svg
# equal factors are equal distances: a straight line
grep -qE 'd="M[0-9. ]*l640 [0-9.]*"' log.svg || fail "a decay is not straight"
zwang plot decay.csv --log xy --columns e -o log.svg
is 0
has 1 "1 point is not positive" log.svg
zwang plot decay.csv --log z -o refused.svg
refused "--log knows x (the axis below), y (the one on the left) and xy, not 'z'"

# ---- light and dark ----

zwang plot pendulum.csv -o auto.svg
is 0
has 1 "prefers-color-scheme:dark" auto.svg
zwang plot pendulum.csv --theme light -o light.svg
is 0
has 0 "prefers-color-scheme" light.svg
has 1 'fill="#ffffff"' light.svg
diff <(sed 's/ class="[a-z0-9]*"//; /^<style/d' auto.svg) light.svg >/dev/null || fail "what is for both is not light by itself"
zwang plot pendulum.csv --theme dark -o dark.svg
is 0
has 0 "#ffffff" dark.svg
well_formed dark.svg
zwang plot pendulum.csv --theme blue -o refused.svg
refused "--theme knows light, dark and auto, not 'blue'"
mkdir dark
zwang run bouncing-ball.zw --theme dark --out dark
is 0
has 0 "#ffffff" dark/bouncing-ball.svg

# ---- events ----

grep -q '>y &lt; 0' bouncing-ball.svg || fail "events are not named"
zwang plot bouncing-ball.csv --columns y,count,since -o again.svg
is 0
diff bouncing-ball.svg <(sed 's/again/bouncing-ball/' again.svg) >/dev/null || fail "from its table the picture is another one"
zwang plot bouncing-ball.csv --columns "y'" --against y -o phase.svg
is 0
grep -q 'y &lt; 0' phase.svg && fail "events are marked against something else than time"

# ---- PNG ----

if command -v rsvg-convert >/dev/null; then
  zwang plot pendulum.csv -o picture.png
  is 0
  prints "files        picture.png"
  [ "$(head -c 8 picture.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "picture.png is no PNG"
  zwang plot pendulum.csv -o nowhere/picture.png
  is 1
  says "nowhere/picture.png"
fi
mkdir none tools
for tool in sh cat; do ln -s "$(command -v $tool)" tools/$tool; done
with_path() { # FOLDER ARGUMENTS...
  last="zwang ${*:2} with other programs"
  status=0
  PATH=$PWD/$1 "$ZWANG" "${@:2}" >out 2>err || status=$?
}
with_path none plot pendulum.csv -o refused.png
is 1
says "a PNG needs the program rsvg-convert, which is not here" "librsvg2-bin"
absent refused.png refused.png.part
printf '#!/bin/sh\nexit 3\n' >tools/rsvg-convert
chmod +x tools/rsvg-convert
with_path tools plot pendulum.csv -o refused.png
is 1
says "rsvg-convert could not make 'refused.png'"
absent refused.png refused.png.part

# ---- on the screen ----

with_path none plot pendulum.csv --open -o shown.svg
is 1
says "--open needs the program xdg-open, which is not here" "xdg-utils"
exists shown.svg
printf '#!/bin/sh\necho "$#" "$@" >shown\n' >tools/xdg-open
chmod +x tools/xdg-open
with_path tools plot pendulum.csv --open -o 'a b; $(c).svg'
is 0
[ "$(cat shown)" = '1 a b; $(c).svg' ] || fail "xdg-open was called with: $(cat shown)"
printf '#!/bin/sh\nexit 4\n' >tools/xdg-open
with_path tools plot pendulum.csv --open --json -o shown.svg
is 1
is_json
json_is 'errors[0].text' "xdg-open could not show 'shown.svg'"

# ---- in the terminal ----

rm -f pendulum.plot.svg
export LC_ALL=C.UTF-8
zwang plot pendulum.csv --columns x,y --sketch
is 0
absent pendulum.plot.svg
prints "  x" "  y" "│" "t = 0"
[ "$(grep -c '│' out)" = 16 ] || fail "a sketch is not eight lines high"
export LC_ALL=C
zwang plot pendulum.csv --columns x,y --sketch
is 0
[ "$(grep -c ' |' out)" = 16 ] || fail "a sketch is not eight lines high"
LC_ALL=C grep -q "$(printf '[\200-\377]')" out && fail "not only ASCII"
zwang plot pendulum.csv --columns y --against x --sketch -o both.svg
is 0
exists both.svg
prints "y against x" "both.svg"
zwang run pendulum.zw --sketch
is 0
prints "  angle" "files        pendulum.csv"
[ "$(grep -cE '^ *[-+.e0-9]* \|' out)" = 24 ] || fail "not three sketches"
zwang run pendulum.zw --sketch --json
is 0
is_json
zwang run pendulum.zw --sketch -q
is 0
prints_nothing

# ---- special values ----

cat >special.csv <<'T'
t,constant,gap,tiny,huge,"a<b&""c""",φ
0,3,1,0,0,1,1
1,3,nan,1e-12,1e12,2,2
2,3,2,5e-13,-1e12,1,inf
3,3,3,0,0,2,2
T
for options in "" "--together" "--against t" "--against gap" "--log y" "--theme dark"; do
  # shellcheck disable=SC2086
  zwang plot special.csv $options -o special.svg
  is 0
  well_formed special.svg
  grep -qE 'nan|inf"|<b' special.svg && fail "a value or a name has escaped into the markup"
done
printf 't,x\n5,7\n' >single.csv
zwang plot single.csv
is 0
well_formed single.plot.svg
has 1 'stroke-width="5"' single.plot.svg
printf 't,x\n' >empty.csv
zwang plot empty.csv
is 0
has 1 "no finite values" empty.plot.svg
done_well
