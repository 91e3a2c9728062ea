#!/usr/bin/env bash
# The grammars in editors/ know every statement word, clause word, shape, reserved word and function of the program.
set -eu
cd "$ZWANG_ROOT"

# quoted NAME FILE: the strings of an array, from its name to the end of its initialiser
quoted() {
  sed -n "/$1\[\] = {/,/};/p" "$2" | grep -o '"[a-z0-9]*"' | tr -d '"'
}
statements=$(quoted zw_statement_words src/text/parser.c)
shapes=$(quoted shapes src/text/parser.c)
functions=$(quoted function_names src/model/expression.c)
reserved=$(quoted words src/text/lexer.c)
clauses=$(grep -o '\(accept_clause\|is_word\)(p, "[a-z]*")' src/text/parser.c | grep -o '"[a-z]*"' | tr -d '"' | sort -u)

[ "$(echo "$statements" | wc -w)" -ge 25 ] && [ "$(echo "$shapes" | wc -w)" -ge 9 ] &&
  [ "$(echo "$functions" | wc -w)" -ge 27 ] && [ "$(echo "$reserved" | wc -w)" -ge 11 ] &&
  [ "$(echo "$clauses" | wc -w)" -ge 11 ] || { echo "the words were not found in the sources"; exit 1; }

wrong=0
for file in editors/vim/syntax/zwang.vim editors/vscode/syntaxes/zwang.tmLanguage.json; do
  for word in $statements $shapes $functions $reserved $clauses; do
    grep -Eqw -- "$word" "$file" || { echo "$file does not know '$word'"; wrong=1; }
  done
done

# JSON, where something can read it
if command -v python3 >/dev/null; then
  for file in editors/vscode/package.json editors/vscode/language-configuration.json \
    editors/vscode/syntaxes/zwang.tmLanguage.json; do
    python3 -m json.tool "$file" >/dev/null || { echo "$file is not JSON"; wrong=1; }
  done
fi
exit $wrong
