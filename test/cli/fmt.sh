#!/usr/bin/env bash
# zwang fmt: what it prints, what it writes, what it refuses.
set -eu

fail() {
  echo "FAILED: $1"
  exit 1
}
# exits STATUS COMMAND...: the command ends with this status; its output is in out and err
exits() {
  local want=$1 got=0
  shift
  "$@" >out 2>err || got=$?
  [ "$got" = "$want" ] || { cat out err; fail "exit status $got instead of $want: $*"; }
}
same() {
  cmp -s "$1" "$2" || { diff "$1" "$2"; fail "$3"; }
}

printf 'param a=1\r\n\r\n\r\nfor i in 1..2\n{\nlet b=i-1 # c\n}' >ugly.zw
printf 'param a = 1\n\nfor i in 1..2 {\n  let b = i - 1  # c\n}\n' >pretty.zw
cp ugly.zw ugly.before
cp pretty.zw pretty.before

# names stay as they were typed, composed or not
printf 'param e\314\201=1,\303\251t=2\n' >typed.zw
printf 'param e\314\201 = 1, \303\251t = 2\n' >laid.zw
exits 0 "$ZWANG" fmt typed.zw
same out laid.zw "accents"

# printing changes no file
exits 0 "$ZWANG" fmt ugly.zw
same out pretty.zw "printed text"
exits 0 "$ZWANG" fmt - <ugly.zw
same out pretty.zw "text from standard input"
exits 0 "$ZWANG" fmt ugly.zw pretty.zw
cat pretty.zw pretty.zw >both
same out both "two texts"
same ugly.zw ugly.before "printing wrote the file"

# --check names what would change and changes nothing
exits 0 "$ZWANG" fmt --check pretty.zw
[ ! -s out ] || fail "--check names a file that is fine"
exits 1 "$ZWANG" fmt --check pretty.zw ugly.zw
[ "$(cat out)" = ugly.zw ] || fail "--check names the wrong files"
exits 1 "$ZWANG" fmt --check - <ugly.zw
exits 0 "$ZWANG" fmt --check - <pretty.zw
same ugly.zw ugly.before "--check wrote the file"

# --write keeps permissions and links, and does not touch what is fine
chmod 640 ugly.zw
ln -s ugly.zw link.zw
touch -d '2001-02-03 04:05:06' pretty.zw
inode=$(ls -i pretty.zw)
exits 0 "$ZWANG" fmt --write link.zw pretty.zw
[ ! -s out ] || fail "--write prints"
same ugly.zw pretty.before "rewritten text"
[ -L link.zw ] || fail "--write replaced a link by a file"
[ "$(stat -c %a ugly.zw)" = 640 ] || fail "--write changed the permissions"
[ "$(stat -c %Y pretty.zw)" = "$(date -d '2001-02-03 04:05:06' +%s)" ] || fail "--write touched a file that is fine"
[ "$(ls -i pretty.zw)" = "$inode" ] || fail "--write replaced a file that is fine"
[ -z "$(find . -name '*.part')" ] || fail "--write left something behind"
cp ugly.before ugly.zw
exits 0 "$ZWANG" fmt -w ugly.zw
same ugly.zw pretty.before "-w"

# a wrong text: messages with their place, nothing printed or written; other files are still served
printf 'param  a=1\nkinetic 2x\n' >wrong.zw
cp wrong.zw wrong.before
cp ugly.before ugly.zw
exits 2 "$ZWANG" fmt wrong.zw
grep -q '^wrong.zw:2:9: error: ' err || fail "no message for the wrong text"
[ ! -s out ] || fail "a wrong text was printed"
exits 2 "$ZWANG" fmt --check wrong.zw
exits 2 "$ZWANG" fmt - <wrong.zw
grep -q '^<stdin>:2:9: error: ' err || fail "no message for wrong standard input"
exits 2 "$ZWANG" fmt --write wrong.zw ugly.zw
same wrong.zw wrong.before "a wrong text was written"
same ugly.zw pretty.before "the other file was not served"

# wrong commands
exits 2 "$ZWANG" fmt
exits 2 "$ZWANG" fmt missing.zw
grep -q "missing.zw" err || fail "the missing file is not named"
exits 2 "$ZWANG" fmt --write --check pretty.zw
exits 2 "$ZWANG" fmt --write - <pretty.zw
exits 2 "$ZWANG" fmt --to 3 pretty.zw
exits 2 "$ZWANG" run --write pretty.zw

# a write-protected file stays as it is (root may write everything)
if [ "$(id -u)" != 0 ]; then
  cp ugly.before ugly.zw
  chmod 440 ugly.zw
  exits 1 "$ZWANG" fmt --write ugly.zw
  same ugly.zw ugly.before "a write-protected file was written"
fi

# what we ship is laid out so
exits 0 "$ZWANG" fmt --check "$ZWANG_ROOT"/examples/*.zw "$ZWANG_ROOT"/lib/*.zw
echo "fmt is fine"
