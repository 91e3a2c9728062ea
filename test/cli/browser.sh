#!/usr/bin/env bash
# Films in a browser without a screen: they play, pause, step, scrub and turn, in light and dark, and nothing is written to the console.
. "$(dirname "$0")/lib.bash"
for program in chromium chromedriver python3; do
  command -v $program >/dev/null || fail "$program is not here; tools/setup.sh test installs what the tests need"
done

# names and texts that would break out of a page or a script if they could
name="φ & <b>\"' <script>"
model planar <<'E'
# </script><script>window.escaped = true</script> &amp; φ
param l = 1, g = 9.81
coord θ = 1.2, s = 0.4
let P = (l*sin(θ), -l*cos(θ)), Q = (-1, -1 - s)
kinetic 1/2*l^2*θ'^2 + 1/2*s'^2
potential -g*l*cos(θ) + 20*s^2
draw ground (1, 0) -> (-1, 0)
draw line (0, 0) -> P
draw trail P
draw point P
draw arrow P -> P + 0.2*P'
draw spring (-1, 0) -> Q
draw box Q, (0.3, 0.2), 0.2*θ color "green"
draw circle P, 0.1 color 4
draw text P, "θ</script><script>window.escaped = true</script>", θ
run 0 .. 3
E
model spatial <<'E'
coord x = 0.8, y, z = -0.6
let P = (x, y, z)
kinetic 1/2*P'^2
potential 9.81*z
constraint rod: P^2 = 1
start y' = 1.6
draw line 0 -> P
draw circle P, 0.1
draw trail P
draw box (0.5, 0.5, -1), (0.3, 0.2, 0.4), (1, 0, 0), (0, 1, 0)
draw circle (-0.5, 0, -1), 0.3, P
draw arrow P -> P + 0.2*P'
draw spring (0, 0, 0) -> (0.5, 0.5, -0.8)
draw text P, "bob"
run 0 .. 3
E
cp planar.zw "$name.zw"
zwang animate "$name.zw" -o planar.html --speed 1
is 0
zwang animate planar.zw -o planar.svg --speed 1
is 0
zwang animate spatial.zw --speed 1
is 0
PYTHONDONTWRITEBYTECODE=1 python3 "$root/test/browser/play.py" "$PWD" >out 2>err || fail "the browser does not show what it should"
prints "checks"
checks=$((checks + $(cut -d' ' -f1 out)))
done_well
