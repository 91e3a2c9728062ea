#!/usr/bin/env bash
# Makes the pictures of the documents anew from the models that stand in them:
#   ZWANG=build/zwang docs/pictures/make.sh
set -eu
ZWANG_ROOT=$(cd "$(dirname "$0")/../.." && pwd)
ZWANG=$(realpath "${ZWANG:-$ZWANG_ROOT/build/zwang}")
export ZWANG_ROOT ZWANG
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bash "$ZWANG_ROOT/test/cli/docs.sh" extract

# copy PAGE NAME "FIRST LINE": the model of a page that begins like this, as NAME.zw
copy() {
  for model in "$1"/[0-9]*.zw; do
    case $(head -n 1 "$model") in
      "$3"*)
        cp "$model" "$2.zw"
        return
        ;;
    esac
  done
  echo "no model in $1.md begins with: $3" >&2
  return 1
}

# picture PAGE NAME "FIRST LINE" [KIND]: its plot as docs/pictures/NAME.svg; KIND .contacts is the picture of its contacts
picture() {
  copy "$1" "$2" "$3"
  "$ZWANG" run "$2.zw" --quiet
  cp "$2${4:-}.svg" "$ZWANG_ROOT/docs/pictures/$2.svg"
}

# film PAGE NAME "FIRST LINE" OPTIONS...: what animate makes of it with these options
film() {
  copy "$1" "$2" "$3"
  "$ZWANG" animate "$2.zw" --quiet -o "$ZWANG_ROOT/docs/pictures/$2.svg" "${@:4}"
}

# locus PAGE NAME "FIRST LINE" OPTIONS...: its root locus as docs/pictures/NAME-locus.svg
locus() {
  copy "$1" "$2" "$3"
  "$ZWANG" linearize "$2.zw" --quiet "${@:4}"
  cp "$2.locus.svg" "$ZWANG_ROOT/docs/pictures/$2-locus.svg"
}

# derivatives PAGE NAME "FIRST LINE" NAMES COLUMNS: derivatives by NAMES, as zwang plot draws these columns in one panel
derivatives() {
  copy "$1" "$2" "$3"
  "$ZWANG" run "$2.zw" --quiet --sensitivity "$4"
  "$ZWANG" plot "$2.csv" --quiet --columns "$5" --together -o "$ZWANG_ROOT/docs/pictures/$2.svg"
}

picture README sleigh "# A sleigh on a knife edge"
picture tutorial damped "# damped.zw"
picture tutorial coin "# coin.zw"
picture tutorial furuta "# furuta.zw"
picture contact two-balls "# two-balls.zw" .contacts
film animate swing "# A pendulum, drawn" --fps 20
film animate rosette "# A spherical pendulum" --still
picture results hop "# hop.zw"
locus analysis disc "# disc.zw" --over w=0..1:101
derivatives analysis straight "# straight.zw" ground,crank,coupler,rocker,arm "d(height)/d(*)"

# docs/forces.md: the motors of the robot arm
"$ZWANG" examples --copy robot-arm >/dev/null
"$ZWANG" run robot-arm.zw --tolerance 1e-10 --quiet
cp forces/arm.zw .
"$ZWANG" forces arm.zw --motion robot-arm.csv --quiet
cp arm.forces.svg "$ZWANG_ROOT/docs/pictures/arm-forces.svg"
