#!/bin/sh
# Every program of docs/api.md and docs/embedding.md compiles without a warning and runs; where a block ```text follows, it prints that.
# So does examples/embedding.
set -eu
fail() {
  echo "$*" >&2
  exit 1
}
root=$ZWANG_ROOT
library=$(dirname "$ZWANG")
flags="-std=c99 -Wall -Wextra -Wpedantic -Werror -I$root/include -L$library -Wl,-rpath,$library"

# Writes the blocks of a page as page-1.c, page-1.txt, ...
cut_blocks() {
  awk -v name="$2" '
    /^```c$/ { is_in = 1; file = name "-" ++count ".c"; next }
    /^```text$/ && count { is_in = 1; file = name "-" count ".txt"; next }
    /^```/ { is_in = 0; next }
    is_in { print > file }' "$1"
}

programs=0
for page in api embedding; do
  cut_blocks "$root/docs/$page.md" "$page"
  for source in "$page"-*.c; do
    name=${source%.c}
    # shellcheck disable=SC2086 # a list of flags
    cc $flags "$source" -lzwang -lm -o "$name" || fail "$source of docs/$page.md does not compile"
    (ulimit -S -t 60 && exec "./$name") >out || fail "$source of docs/$page.md does not run"
    [ -s out ] || fail "$source of docs/$page.md prints nothing"
    [ ! -f "$name.txt" ] || diff "$name.txt" out || fail "$source of docs/$page.md prints something else"
    programs=$((programs + 1))
  done
done
[ "$programs" -ge 6 ] || fail "only $programs programs were found in the pages"

# shellcheck disable=SC2086
cc $flags "$root/examples/embedding/slider_crank.c" -lzwang -lm -o slider_crank || fail "slider_crank.c does not compile"
[ "$(wc -l <"$root/examples/embedding/slider_crank.c")" -le 60 ] || fail "slider_crank.c is longer than 60 lines"
./slider_crank "$root/examples/slider-crank-parts.zw" >out || fail "slider_crank does not run"
[ "$(grep -c '^t = ' out)" = 11 ] || fail "slider_crank does not get to its end"
grep -q '^energy balance: off by [0-9.]*e-\(0[6-9]\|1\)' out || fail "slider_crank loses energy"
./slider_crank nowhere.zw 2>err && fail "slider_crank runs without a model"
echo "$programs programs"
