#!/usr/bin/env bash
# docs/gallery.md is what `make gallery` writes, every example is in it with a paragraph and pictures, and no picture is empty.
. "$(dirname "$0")/lib.bash"
last="tools/gallery.sh"
ZWANG=$ZWANG "$root/tools/gallery.sh" made >out 2>err || fail "the gallery cannot be made"

# Numbers of the evidence differ between machines.
without_numbers() {
  sed -E '/^(constraints|energy|impacts) /s/[0-9][0-9.]*(e[-+][0-9]+)?/#/g' "$1"
}
diff <(without_numbers "$root/docs/gallery.md") <(without_numbers made/gallery.md) >out ||
  fail "docs/gallery.md is not what 'make gallery' writes"
diff <(cd "$root/docs/gallery" && ls -- *.svg) <(cd made/gallery && ls -- *.svg) >out || fail "other pictures than in docs/gallery"
grep -qE 'evaluations|machine code' made/gallery.md && fail "the time of a run is in the gallery"

# of an example: how many letters its paragraph has
paragraph() {
  awk -v name="$1" '
    $0 ~ "^-- " { inside = index($0, "-- " name ": ") == 1; next }
    /^==/ { inside = 0 }
    inside && !/^(still|film|plot)( |$)/ { letters += length }
    END { print letters + 0 }' "$root/docs/gallery/notes.txt"
}
for model in "$root"/examples/*.zw; do
  name=$(basename "$model" .zw)
  checks=$((checks + 1))
  [ "$(grep -c "^-- $name: " "$root/docs/gallery/notes.txt")" = 1 ] || fail "$name is not once in docs/gallery/notes.txt"
  [ "$(paragraph "$name")" -ge 100 ] || fail "nothing is said about $name"
  [ "$(grep -cF "](gallery/$name.svg)" made/gallery.md)" = 1 ] || fail "$name is not shown once"
  grep -qF "<summary>examples/$name.zw</summary>" made/gallery.md || fail "the text of $name is not shown"
done

# What is drawn: strokes, surfaces and dots of a drawing, or curves; not paper, axes and grid.
drawn() {
  grep -oE '<(path|circle|g) ([^>]* )?class="([lkwvad] |zs[0-9]+"[^>]* stroke-width="1\.5")' "$1" | wc -l
}
total=0
for picture in "$root"/docs/gallery/*.svg made/gallery/*.svg; do
  checks=$((checks + 1))
  [ "$(drawn "$picture")" -ge 1 ] || fail "$picture is empty"
  grep -qiE '="[^"]*(nan|inf)[^"a-z]' "$picture" && fail "$picture has numbers that are none"
  size=$(wc -c <"$picture")
  [ "$size" -le 150000 ] || fail "$picture has $size bytes"
  total=$((total + size))
done
[ "$total" -le 3000000 ] || fail "the pictures have $((total / 2)) bytes" # both sets of them

# the first picture of the README is one of them
grep -m 1 -oE '!\[[^]]*\]\([^)]*' "$root/README.md" | grep -q '(docs/gallery/' || fail "the first picture of the README is not from the gallery"

# notes about an example that does not exist
mkdir -p tree/docs/gallery tree/tools tree/examples
cp "$root/tools/gallery.sh" tree/tools
printf '== A\n\n-- nobody: Nobody\nstill\nNothing.\n' >tree/docs/gallery/notes.txt
if tree/tools/gallery.sh other >out 2>err; then fail "an example that does not exist"; fi
says "nobody"
[ ! -e other ] || fail "a gallery that is not complete was written"
done_well
