#!/usr/bin/env bash
# The shared library shows what include/zwang declares with ZW_API, under a version, and nothing else.
set -eu
library=$ZWANG_BUILD/libzwang.so
wrong=0
fail() {
  echo "$*" >&2
  wrong=1
}

# what the compiler sees of the headers, so that no comment and no line break can hide a name
for header in "$ZWANG_ROOT"/include/zwang/*.h; do echo "#include \"$header\""; done |
  "${CC:-cc}" -E -P -I"$ZWANG_ROOT/include" -x c - | tr '\n' ' ' |
  grep -o '__attribute__((visibility("default")))[^;]*;' | grep -oE '\bzw_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u >declared
nm -D --defined-only --with-symbol-versions "$library" | awk '$2 != "A" { print $3 }' | sort -u >exported
sed 's/@.*//' exported >names

[ "$(wc -l <declared)" -ge 50 ] || fail "only $(wc -l <declared) functions were found in the headers"
while read -r name; do fail "$name is exported and does not begin with zw_"; done < <(grep -v '^zw_' names)
while read -r name; do fail "$name is exported but not declared with ZW_API"; done < <(comm -13 declared names)
while read -r name; do fail "$name is declared with ZW_API but not exported"; done < <(comm -23 declared names)
while read -r name; do fail "$name has not the version ZWANG_0"; done < <(grep -v '@@ZWANG_0$' exported)

readelf -d "$library" >dynamic
grep -q 'SONAME.*\[libzwang\.so\.0\]' dynamic || fail "the SONAME is not libzwang.so.0"
grep -qiE 'RPATH|RUNPATH' dynamic && fail "the library has a path built in"
while read -r needed; do
  case $needed in
    libc.so.* | libm.so.* | libdl.so.* | ld-linux*) ;;
    *) fail "the library needs $needed" ;;
  esac
done < <(sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' dynamic)
echo "$(wc -l <names) functions"
exit $wrong
