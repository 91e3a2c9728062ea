# What the tests of the program share. Sourced, never run: its name does not end in .sh.
#
#   zwang ARGUMENTS...     runs the program; $status, and its output in the files `out` and `err`
#   background ARGUMENTS.. starts it as $child, which ends with the test; `await` waits for what it does, `finish` for its end
#   is / says / prints     what must have happened; `fail` ends the test with the last command and its output
#   model NAME <<'E'       writes NAME.zw
set -eu
: "${ZWANG:?the program to test}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${ZWANG_ROOT:-$(cd "$here/../.." && pwd)}
status=0
last=""
checks=0

fail() {
  echo "FAILED: $*" >&2
  echo "after: $last (exit status $status)" >&2
  echo "--- stdout" >&2
  head -c 3000 out >&2 2>/dev/null || true
  echo "--- stderr" >&2
  head -c 3000 err >&2 2>/dev/null || true
  echo "--- files" >&2
  ls -la >&2
  exit 1
}

zwang() {
  last="zwang $*"
  status=0
  "$ZWANG" "$@" >out 2>err || status=$?
}

# ---- in the background ----
#
# Nothing here looks at a clock: what is waited for comes, or the program ends. One that neither comes to it nor ends is ended by
# the system after so many seconds of the processor, of which a busy machine needs no more than an idle one.
processor_most=600
child=""
trap '[ -z "$child" ] || kill -KILL $child 2>/dev/null || true' EXIT

background() {
  last="zwang $*"
  rm -f out err
  (ulimit -S -t $processor_most && exec "$ZWANG" "$@") >out 2>err &
  child=$!
}

# await COMMAND...: until it succeeds; fails when the program ends before
await() {
  until "$@"; do
    kill -0 "$child" 2>/dev/null || "$@" || fail "it ended before: $*"
    sleep 0.02
  done
}

# await_or_end COMMAND...: alike, and content with a program that is done sooner
await_or_end() {
  until "$@" || ! kill -0 "$child" 2>/dev/null; do sleep 0.002; done
}

# finish [SIGNAL]: sends the signal and waits for the end; $status as after `zwang`
finish() {
  if [ $# -gt 0 ]; then kill -"$1" "$child" 2>/dev/null || true; fi
  status=0
  wait "$child" 2>/dev/null || status=$?
  child=""
}

# conditions to wait for
is_there() { [ -s "$1" ]; }
has_lines() { [ -f "$1" ] && [ "$(wc -l <"$1")" -gt "$2" ]; } # FILE MORE_THAN
has_bytes() { [ -f "$1" ] && [ "$(wc -c <"$1")" -gt "$2" ]; }
# has_worked SECONDS: so much of the processor is used up, in whole ones
has_worked() {
  local ticks
  ticks=$(awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$child/stat" 2>/dev/null) || return 1
  [ "${ticks:-0}" -ge $(($1 * $(getconf CLK_TCK))) ]
}

model() {
  cat >"$1.zw"
}

# the exit status
is() {
  checks=$((checks + 1))
  [ "$status" = "$1" ] || fail "exit status $status instead of $1"
}

# words on stderr
says() {
  checks=$((checks + 1))
  for words; do grep -qF -- "$words" err || fail "stderr does not say: $words"; done
}

says_nothing() {
  checks=$((checks + 1))
  [ ! -s err ] || fail "stderr is not empty"
}

# words on stdout
prints() {
  checks=$((checks + 1))
  for words; do grep -qF -- "$words" out || fail "stdout does not say: $words"; done
}

prints_nothing() {
  checks=$((checks + 1))
  [ ! -s out ] || fail "stdout is not empty"
}

exists() {
  checks=$((checks + 1))
  for file; do [ -s "$file" ] || fail "there is no $file, or it is empty"; done
}

absent() {
  checks=$((checks + 1))
  for file; do [ ! -e "$file" ] || fail "$file should not be there"; done
}

# Nothing that could be taken for a good result; a run that began may leave its .part.
no_results_but_part() {
  checks=$((checks + 1))
  local found
  found=$(find . -name '*.csv' -o -name '*.svg' -o -name '*.svg.part' | head -n 1)
  [ -z "$found" ] || fail "$found was left"
}

no_results() {
  no_results_but_part
  local found
  found=$(find . -name '*.part' | head -n 1)
  [ -z "$found" ] || fail "$found was left"
}

# Every row has as many fields as the header, and the file ends with a newline.
whole_rows() {
  checks=$((checks + 1))
  [ "$(tail -c 1 "$1" | od -An -tx1 | tr -d ' ')" = 0a ] || fail "$1 does not end with a whole row"
  awk -F, 'NR == 1 { n = NF; is_text = $NF == "event" } NF != n || (!is_text && $NF == "") { bad = NR } END { exit bad != 0 || NR < 2 }' "$1" ||
    fail "$1 has a row that is not whole, or no row"
}

# The same for what a killed run left: the system may have stopped its last write in the middle of a row. That piece is cut
# off here, as every command of the program does.
whole_rows_but_last() {
  if [ "$(tail -c 1 "$1" | od -An -tx1 | tr -d ' ')" != 0a ]; then sed -i '$d' "$1"; fi
  whole_rows "$1"
}

# Field K of the last row of FILE is within M of V
ends_at() { # FILE K V M
  checks=$((checks + 1))
  tail -n 1 "$1" | awk -F, -v k="$2" -v v="$3" -v m="$4" '{ d = $k - v; exit !(d <= m && d >= -m) }' ||
    fail "column $2 of $1 ends at $(tail -n 1 "$1" | cut -d, -f"$2"), not at $3"
}

done_well() {
  echo "$checks checks passed"
}

# ---- JSON ----

# Reads one JSON object and prints a line PATH<TAB>VALUE for each value; fails if it is not valid JSON. In awk, so that
# it works wherever the tests do.
json_flatten() {
  awk '
    function error(what) { printf "not JSON: %s at %d: %s\n", what, at, substr(text, at, 30) > "/dev/stderr"; exit 1 }
    function skip() { while (substr(text, at, 1) ~ /[ \t\r\n]/) at++ }
    function string(  c, result) {
      if (substr(text, at, 1) != "\"") error("a string expected")
      for (at++;; at++) {
        c = substr(text, at, 1)
        if (c == "") error("a string is not closed")
        if (c == "\"") { at++; return result }
        if (c ~ /[\001-\037]/) error("a control character in a string")
        if (c == "\\") {
          at++
          c = substr(text, at, 1)
          if (c == "u") {
            if (substr(text, at + 1, 4) !~ /^[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]$/) error("a wrong escape")
            at += 4
            c = "?"
          } else if (c == "n") c = " "
          else if (c !~ /["\\\/bfrt]/) error("a wrong escape")
        }
        result = result c
      }
    }
    function value(path,  c, n, rest) {
      skip()
      c = substr(text, at, 1)
      if (c == "{") { object(path); return }
      if (c == "[") { array(path); return }
      if (c == "\"") { print path "\t" string(); return }
      rest = substr(text, at, 60)
      if (match(rest, /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) ||
          match(rest, /^(true|false|null)/)) {
        print path "\t" substr(text, at, RLENGTH)
        at += RLENGTH
        return
      }
      error("a value expected")
    }
    function object(path,  key) {
      at++
      skip()
      print path "\t{}"
      if (substr(text, at, 1) == "}") { at++; return }
      for (;;) {
        skip()
        key = string()
        if ((path "." key) in seen) error("the key " key " stands there twice")
        seen[path "." key] = 1
        skip()
        if (substr(text, at, 1) != ":") error("a colon expected")
        at++
        value(path "." key)
        skip()
        if (substr(text, at, 1) == "}") { at++; return }
        if (substr(text, at, 1) != ",") error("a comma expected")
        at++
      }
    }
    function array(path,  i) {
      at++
      skip()
      print path "\t[]"
      if (substr(text, at, 1) == "]") { at++; return }
      for (i = 0;; i++) {
        value(path "[" i "]")
        skip()
        if (substr(text, at, 1) == "]") { at++; return }
        if (substr(text, at, 1) != ",") error("a comma expected")
        at++
      }
    }
    { text = text $0 "\n" }
    END {
      if (failed) exit 1
      at = 1
      skip()
      if (substr(text, at, 1) != "{") error("an object expected")
      value("")
      skip()
      if (at <= length(text)) error("more than one object")
    }' "$1"
}

# The output is one valid JSON object; afterwards json_has and json_is look into it.
is_json() {
  checks=$((checks + 1))
  json_flatten out >json || fail "stdout is not one JSON object"
  if command -v jq >/dev/null; then jq -e . out >/dev/null || fail "jq does not read it"; fi
}

json_has() {
  checks=$((checks + 1))
  for key; do cut -f1 json | grep -qxF -- ".$key" || fail "the object has no key $key"; done
}

json_value() {
  awk -F'\t' -v key=".$1" '$1 == key { print $2; exit }' json
}

json_is() {
  checks=$((checks + 1))
  [ "$(json_value "$1")" = "$2" ] || fail "$1 is '$(json_value "$1")', not '$2'"
}

# ---- other users ----

# Runs a command as a user who may not write everywhere; is_other_user_there tells whether that can be done.
as_other_user() {
  if [ "$(id -u)" != 0 ]; then
    "$@"
  else
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
  fi
}

is_other_user_there() {
  [ "$(id -u)" != 0 ] && return 0
  command -v setpriv >/dev/null && as_other_user "$ZWANG" --version >/dev/null 2>&1
}
