#!/usr/bin/env bash
# The manual pages are whole: zwang(1) has every command and option of the program, zwang.zw(5) every word of the language, its models
# run, and both are good troff.
. "$(dirname "$0")/lib.bash"
wrong=0
lacks() {
  echo "$*" >&2
  wrong=1
}

# PAGE: as typed, without the escapes of troff
plain() {
  sed -e 's/\\-/-/g' -e "s/\\\\(aq/'/g" -e 's/\\(ha/^/g' -e 's/\\(dq/"/g' -e 's/\\f[A-Z]//g' "$root/docs/$1"
}
plain zwang.1 >page1
plain zwang.zw.5 >page5

# ---- zwang(1) ----
zwang help
is 0
commands=$(sed -n 's/^  zwang \([a-z]*\) .*/\1/p' out)
[ "$(echo "$commands" | wc -l)" -ge 12 ] || fail "only these commands were found: $commands"
sed -n '/^\.SH SYNOPSIS/,/^\.SH DESC/p' page1 >synopsis
sed -n '/^\.SH COMMANDS/,/^\.SH OPTIONS/p' page1 >explained
sed -n '/^\.SH OPTIONS/,/^\.SH FILES/p' page1 | grep '^\.B' >headings
for command in $commands; do
  grep -qE "^\.B zwang (--)?$command( |$)" synopsis || lacks "docs/zwang.1: 'zwang $command' is not in SYNOPSIS"
  case $command in
    help | version) ;; # the synopsis says it all
    *) grep -qx "\.B $command" explained || lacks "docs/zwang.1: the command '$command' is not in COMMANDS" ;;
  esac
  zwang complete -- "$command" -
  is 0
  for option in $(cut -f 1 out); do
    [ "$option" = --help ] || grep -qE -- "^\.B[IR]? (.*[ \",])?$option([ \",]|$)" headings ||
      lacks "docs/zwang.1: the option $option of 'zwang $command' is not in OPTIONS"
  done
done
# and nothing that the program does not have
for option in $(grep -ohE -- '--[a-z][a-z-]+' page1 | sort -u); do
  case $option in
    --version) continue ;;
  esac
  zwang run nowhere.zw "$option"
  if grep -q "unknown option" err; then lacks "docs/zwang.1: there is no option $option"; fi
done

# ---- zwang.zw(5) ----
# NAME FILE: the strings of an array in the sources
quoted() {
  sed -n "/$1\[\] = {/,/};/p" "$root/$2" | grep -o '"[a-z0-9]*"' | tr -d '"'
}
words="$(quoted zw_statement_words src/text/parser.c) $(quoted shapes src/text/parser.c)
  $(quoted function_names src/model/expression.c) $(quoted words src/text/lexer.c)
  $(sed -n 's/^component \([a-z0-9]*\)(.*/\1/p' "$root"/lib/*.zw)"
[ "$(echo "$words" | wc -w)" -ge 100 ] || fail "the words of the language were not found in the sources"
grep '^\.B' page5 >bold
for word in $words; do
  grep -qw -- "$word" bold || lacks "docs/zwang.zw.5 does not know '$word'"
done
for name in $("$ZWANG" complete -- run --integrator "" | cut -f 1); do
  grep -qw -- "$name" bold || lacks "docs/zwang.zw.5 does not know the integrator '$name'"
done
awk '/^\.EX$/ { file = "model" ++n ".zw"; next } /^\.EE$/ { file = "" } file != "" { print > file }' page5
models=0
for file in model*.zw; do
  models=$((models + 1))
  zwang run "$file" --quiet
  [ "$status" = 0 ] || fail "the model number $models of docs/zwang.zw.5 does not run"
  zwang fmt --check "$file"
  [ "$status" = 0 ] || lacks "the model number $models of docs/zwang.zw.5 is not laid out as zwang fmt does"
done
[ "$models" -ge 4 ] || fail "docs/zwang.zw.5 has $models models"

# ---- both ----
version=$("$ZWANG" --version | sed -n '1s/^zwang //p')
for page in zwang.1 zwang.zw.5; do
  head -n 1 "$root/docs/$page" | grep -qF "\"zwang $version\"" || lacks "docs/$page is not of version $version"
  if command -v groff >/dev/null; then
    groff -man -ww -z "$root/docs/$page" >said 2>&1 || true
    [ ! -s said ] || lacks "docs/$page: $(cat said)"
  fi
  if command -v mandoc >/dev/null; then
    mandoc -Tlint -Wwarning "$root/docs/$page" >said 2>&1 || lacks "docs/$page: $(cat said)"
  fi
done
[ $wrong = 0 ] || fail "the manual pages are not whole"
done_well
