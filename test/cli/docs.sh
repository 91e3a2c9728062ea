#!/usr/bin/env bash
# The models in README.md and docs/*.md do what the page says. What stands behind the three backticks decides:
#
#   zw             a whole model: it runs if it states `run`, else `zwang check` finds it consistent
#   zw-check       a whole model that the program can check but not run yet
#   zw-error       a wrong model: refused with exit status 2, and each of its lines "# message: ..." is part of what
#                  the program says
#   zw-failing     alike, a model that runs and ends with exit status 1
#   zw-file NAME   a file that a model of the same page uses; csv NAME alike
#
# Every page has a folder of its own. `docs.sh extract` only writes the files (docs/pictures/make.sh asks for that).
set -eu
for page in "$ZWANG_ROOT"/README.md "$ZWANG_ROOT"/docs/*.md; do
  folder=$(basename "$page" .md)
  mkdir -p "$folder"
  awk -v folder="$folder" '
    !inside && /^```zw$/              { inside = 1; file = folder "/" ++number ".zw"; next }
    !inside && /^```zw-check$/        { inside = 1; file = folder "/" ++number ".check.zw"; next }
    !inside && /^```zw-error$/        { inside = 1; file = folder "/" ++number ".error.zw"; next }
    !inside && /^```zw-failing$/      { inside = 1; file = folder "/" ++number ".failing.zw"; next }
    !inside && /^```(zw-file|csv) .+/ { inside = 1; file = folder "/" $2; next }
    !inside && /^```/                 { inside = 1; file = ""; next }
    /^```$/                           { inside = 0; next }
    inside && file != ""              { print > file }' "$page"
done
if [ "${1:-}" = extract ]; then exit 0; fi

failed=0
fail() {
  echo "$1: $2" >&2
  failed=$((failed + 1))
}

# The command for a model: run it if it says how long, else look at it.
try() {
  if grep -q '^run\|; *run' "$1"; then "$ZWANG" run "$1" --quiet; else "$ZWANG" check "$1" --quiet; fi
}

count=0
root=$PWD
for model in */[0-9]*.zw; do
  name=$(basename "$model")
  cd "$root/$(dirname "$model")"
  count=$((count + 1))
  case $name in
    *.error.zw | *.failing.zw)
      code=0
      wanted=2
      case $name in *.failing.zw) wanted=1 ;; esac
      try "$name" >/dev/null 2>said || code=$?
      if [ "$code" -ne $wanted ]; then fail "$model" "exit status $code instead of $wanted"; fi
      if ! grep -q '^# message: ' "$name"; then fail "$model" "has no line '# message: ...'"; fi
      while IFS= read -r message; do
        if grep -qF -- "$message" said; then continue; fi
        fail "$model" "did not say '$message' but:"
        cat said >&2
      done < <(sed -n 's/^# message: //p' "$name")
      ;;
    *.check.zw) "$ZWANG" check "$name" --quiet || fail "$model" "does not pass the check" ;;
    *) try "$name" || fail "$model" "does not run" ;;
  esac
  cd "$root"
done
echo "$count models of the documents, $failed wrong"
test "$count" -ge 40
test "$failed" -eq 0
