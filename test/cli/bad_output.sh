#!/usr/bin/env bash
# Places where results cannot be written: the folder, a full disk, a limit, the terminal.
. "$(dirname "$0")/lib.bash"
cp "$root/examples/pendulum.zw" .

zwang run pendulum.zw --out nowhere
is 2
says "the output folder 'nowhere' cannot be used: No such file or directory"
no_results

zwang run pendulum.zw --out pendulum.zw
is 2
says "'pendulum.zw' is not a folder"
no_results

zwang run pendulum.zw --out ''
is 2
says "error:"
no_results

mkdir locked
chmod 555 locked
if is_other_user_there; then
  chmod 755 .
  last="zwang run pendulum.zw --out locked as another user"
  status=0
  as_other_user "$ZWANG" run pendulum.zw --out locked >out 2>err || status=$?
  is 2
  says "the output folder 'locked' is not writable"
  no_results
else
  echo "left out: a folder that is not writable (no other user to be)"
fi

# the result is in the way
mkdir -p busy/pendulum.csv
zwang run pendulum.zw --out busy
is 1
says "cannot write \"busy/pendulum.csv\"" "Is a directory"
absent busy/pendulum.svg busy/pendulum.csv.part
rm -rf busy

# a full disk: before the first row, and on the way
mkdir full
ln -s /dev/full full/pendulum.csv
zwang run pendulum.zw --out full
is 1
says "cannot write \"full/pendulum.csv\": No space left on device"
absent full/pendulum.svg
zwang run pendulum.zw --out full --json
is 1
is_json
json_is status failed
json_is 'errors[0].code' ZW_ERR_IO
rm -rf full

# limited ARGUMENTS...: files may not grow beyond 8 blocks of 512 or 1024 bytes
limited() {
  last="zwang $* with a limit on file sizes"
  status=0
  (ulimit -f 8 && exec "$ZWANG" "$@") >out 2>err || status=$?
}
limited run pendulum.zw --every 0.001 --to 5
is 1
says "cannot write \"pendulum.csv.part\": File too large"
prints "pendulum.csv.part (whole rows, as far as they could be written)"
no_results_but_part
whole_rows pendulum.csv.part
limited run pendulum.zw --every 0.001 --to 5 --json
is 1
is_json
json_is status failed
json_is 'errors[0].code' ZW_ERR_IO
json_is 'files[0]' pendulum.csv.part
no_results_but_part
whole_rows pendulum.csv.part
rm -f pendulum.csv.part

# the picture cannot be written: the table is complete and says so
mkdir pendulum.svg
zwang run pendulum.zw
is 1
says "pendulum.svg"
prints "pendulum.csv (501 rows)"
exists pendulum.csv
absent pendulum.csv.part
zwang run pendulum.zw --json
is 1
is_json
json_is status failed
json_is 'files[0]' pendulum.csv
[ "$(grep -c '^\.files\[' json)" = 1 ] || fail "more than one file is listed"
rm -rf pendulum.svg pendulum.csv

# a summary that cannot be written is a failure too
for arguments in "run pendulum.zw" "run pendulum.zw --json" "check pendulum.zw" "dump pendulum.zw" "derive pendulum.zw" help --version; do
  last="zwang $arguments >/dev/full"
  status=0
  # shellcheck disable=SC2086 # several words
  "$ZWANG" $arguments >/dev/full 2>err || status=$?
  is 1
  says "the output could not be written"
done
# nobody reads it
status=0
"$ZWANG" dump pendulum.zw --stage kernel 2>err | true || status=$?
[ ! -s err ] || ! grep -qi -e sanitizer -e core err || fail "a closed pipe ended badly"
done_well
