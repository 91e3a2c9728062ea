#!/bin/sh
# Writes docs/gallery.md and the pictures in docs/gallery/ anew, from the examples and docs/gallery/notes.txt, which says how:
#
#   ZWANG=build/zwang tools/gallery.sh [FOLDER]     into FOLDER instead of docs
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
zwang=$(realpath "${ZWANG:-$root/build/zwang}")
folder=${1:-$root/docs}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/gallery"

# made FILE COMMAND...: with what the program says about it only if it fails
made() {
  file=$1
  shift
  "$zwang" "$@" >"$work/said" 2>&1 && [ -f "$file" ] && return
  cat "$work/said" >&2
  echo "gallery: $file was not made" >&2
  exit 1
}

# picture KIND [OPTIONS...]: the next one of the example $name, as $name.svg, $name-2.svg, ...
picture() {
  kind=$1
  shift
  number=$((number + 1))
  shown=$name
  if [ $number -gt 1 ]; then shown=$name-$number; fi
  file=$work/gallery/$shown.svg
  case $kind in
    still) made "$file" animate "$model" --still "$@" -o "$file" ;;
    film) made "$file" animate "$model" "$@" -o "$file" ;;
    plot)
      if [ $# -gt 0 ]; then made "$file" plot "$work/$name.csv" "$@" -o "$file"; else cp "$work/$name.svg" "$file"; fi
      ;;
  esac
  printf '![%s](gallery/%s.svg)\n\n' "$title" "$shown"
}

begin_example() {
  name=${1%%: *}
  title=${1#*: }
  model=$root/examples/$name.zw
  number=0
  has_text=no
  made "$work/$name.csv" run "$model" --out "$work"
  mv "$work/said" "$work/summary"
  printf '### %s\n\n' "$title"
}

# What the run says about itself, and the text of the model.
end_example() {
  if [ -z "$name" ]; then return; fi
  printf '\n```\n'
  sed -nE "s/^$name: //p; s/^  (constraints|energy|impacts|verdict) /\1 /p" "$work/summary"
  printf '```\n\n<details><summary>examples/%s.zw</summary>\n\n```\n' "$name"
  cat "$model"
  printf '```\n\n</details>\n\n'
  name=
}

# One line of the notes. Pictures come before the paragraph; their options are words.
write_line() {
  case $has_text,$line in
    *,"== "*)
      end_example
      printf '## %s\n\n' "${line#== }"
      ;;
    *,"-- "*)
      end_example
      begin_example "${line#-- }"
      ;;
    yes, | no,) ;;
    no,still* | no,film* | no,plot*) picture $line ;;
    *)
      has_text=yes
      printf '%s\n' "$line"
      ;;
  esac
}

write_page() {
  cat <<'TOP'
# Gallery

<!-- Written by `make gallery` from examples/ and docs/gallery/notes.txt. -->

Every example that comes with the program: its picture, what to notice, what the run said about its own accuracy, and the text of
the model. `zwang examples --copy pendulum` gives you a copy, `zwang run pendulum.zw` its motion, and `zwang animate pendulum.zw` a page on which it
moves. The light shapes in a drawing are where things were shortly before.

The lines below each paragraph are those of `zwang run`: how far, at most, positions and velocities are off their constraints in any row, and the
error of the balance of energies, with the work done and what events took, as a part of what was exchanged; and the verdict.

TOP
  name=
  has_text=no
  while IFS= read -r line; do write_line; done <"$work/notes"
  end_example
}

sed -n '/^== /,$p' "$root/docs/gallery/notes.txt" >"$work/notes" # without what stands above the first group
write_page >"$work/gallery.md"
mkdir -p "$folder/gallery"
rm -f "$folder"/gallery/*.svg
mv "$work"/gallery/*.svg "$folder/gallery"
mv "$work/gallery.md" "$folder"
