#!/usr/bin/env bash
# Files that are no models.
. "$(dirname "$0")/lib.bash"

repeat() { # CHARACTER COUNT
  head -c "$2" /dev/zero | tr '\0' "$1"
}

zwang run nowhere.zw
is 2
says "cannot open 'nowhere.zw': No such file or directory"
no_results

zwang run nowhere/at/all.zw
is 2
says "No such file or directory"

mkdir folder.zw
zwang run folder.zw
is 2
says "'folder.zw' is a folder, not a model"
no_results

: >empty.zw
zwang run empty.zw
is 2
says "the model is empty" "declare coordinates with 'coord'"
no_results

printf '   \n\n\t\n' >blank.zw
zwang run blank.zw
is 2
says "the model is empty"

# garbage, the same every time
awk 'BEGIN { for (i = x = 1; i <= 100000; i++) { x = (x * 16807) % 2147483647; printf "%c", int(x / 8) % 256 } }' \
  </dev/null >garbage.zw
for text in garbage zeros; do
  [ $text = garbage ] || repeat '\000' 100000 >zeros.zw
  zwang run $text.zw
  is 2
  says "error:"
  [ "$(wc -c <err)" -lt 20000 ] || fail "the messages are longer than anyone reads"
  no_results
done
head -c 300000 "$ZWANG" >program.zw
zwang run program.zw
is 2
says "this is not a text"
[ "$(grep -c error: err)" = 1 ] || fail "one message is enough"
no_results

# long lines
{ printf 'coord x\nkinetic '; repeat a 10000000; } >name.zw
zwang run name.zw
is 2
says "name.zw:2:9: error: 'aaaaaaaa" "is not declared"
[ "$(wc -c <err)" -lt 2000 ] || fail "the message repeats the long line"
{ printf 'coord x\nkinetic '; repeat 9 10000000; echo "*x'^2"; } >digits.zw
zwang run digits.zw
is 2
says "this number is too large"
{ repeat '#' 10000000; } >comment.zw
zwang run comment.zw
is 2
says "the model is empty"
{ printf 'coord x\nkinetic "'; repeat 9 10000000; } >string.zw
zwang run string.zw
is 2
says "this string is not closed"
{ printf "coord x = 1\nkinetic 1/2*x'^2\npotential x"; repeat ' ' 10000000; printf -- '- x\nrun 0 .. 1\n'; } >spaces.zw
zwang run spaces.zw
is 0
exists spaces.csv spaces.svg
rm -rf -- *.zw spaces.*
no_results

# deep nesting
{ printf 'coord x\nkinetic '; repeat '(' 100000; printf x; repeat ')' 100000; echo; } >brackets.zw
{ printf 'coord x\nkinetic '; repeat '-' 100000; echo x; } >signs.zw
{ printf 'coord x\nkinetic x'; yes '^x' | head -n 100000 | tr -d '\n'; echo; } >powers.zw
{ printf 'coord x\nkinetic '; yes 'sin(' | head -n 100000 | tr -d '\n'; echo x; } >calls.zw
{ printf 'coord x\nkinetic x'; yes '[1]' | head -n 100000 | tr -d '\n'; echo; } >indices.zw
yes 'for i in 1..2 {' | head -n 100000 >blocks.zw
yes 'if 1 < 2 { } else' | head -n 100000 >elses.zw
for text in brackets signs powers calls indices blocks elses; do
  zwang run $text.zw
  is 2
  says "nested more than 200 levels deep"
  no_results
done

# a file that may not be read
if is_other_user_there; then
  model secret <<<"coord x"
  chmod 0 secret.zw
  chmod 711 .
  last="zwang run secret.zw as another user"
  status=0
  as_other_user "$ZWANG" run secret.zw >out 2>err || status=$?
  is 2
  says "cannot open 'secret.zw': Permission denied"
else
  echo "left out: reading a file without permission (no other user to be)"
fi
done_well
