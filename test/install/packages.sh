#!/usr/bin/env bash
# The Debian packages, without building them: every file that is installed is in exactly one package, and no line of a list is in
# vain. install/deb_long.sh builds them.
set -eu
debian=$ZWANG_ROOT/packaging/debian
wrong=0
fail() {
  echo "packaging/debian: $*" >&2
  wrong=1
}

# ---- what is said twice ----
version=$("$ZWANG" --version | sed -n '1s/^zwang //p')
[ "$(sed -n '1s/.*(\(.*\)).*/\1/p' "$debian/changelog")" = "$version" ] || fail "changelog: the first entry is not of $version"
if command -v dpkg-parsechangelog >/dev/null; then
  dpkg-parsechangelog -l "$debian/changelog" >parsed 2>said || fail "changelog: $(cat said)"
  [ ! -s said ] || fail "changelog: $(cat said)"
fi
[ -x "$debian/rules" ] || fail "rules: is not executable"
sed -n 's/^Package: //p' "$debian/control" | sort >packages
(cd "$debian" && ls -- *.install) | sed 's/\.install$//' | sort >lists
cmp -s packages lists || fail "control has the packages $(tr '\n' ' ' <packages), but there are lists of $(tr '\n' ' ' <lists)"
soname=$(readelf -d "$ZWANG_BUILD/libzwang.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
package=libzwang${soname##*.}
if ! grep -qx "$package" packages || ! grep -q "^$soname $package " "$debian/$package.symbols"; then
  fail "no package is named after $soname"
fi

# ---- what is installed, as Debian names the folders ----
DESTDIR=$PWD/stage cmake --install "$ZWANG_BUILD" --prefix /usr >log
if [ -e /usr/bin/python3-config ]; then
  "$ZWANG_ROOT/bind/python/stage.sh" stage >log 2>&1 || fail "the Python package: $(tail -n 5 log)"
else
  echo "without Python.h (python3-dev) nothing is said about python3-zwang"
  sed -i '/^python3-zwang$/d' packages
fi
(cd stage && find . ! -type d) | sed -e 's,^\./,,' -e '/python3/!s,^usr/lib/,usr/lib/ARCHITECTURE/,' \
  -e 's,zsh/site-functions,zsh/vendor-completions,' | sort >files
[ "$(wc -l <files)" -ge 100 ] || fail "only $(wc -l <files) files are installed"

# PATTERN FILE: a pattern stands for files, or for folders with all that is in them
matches() {
  # shellcheck disable=SC2053,SC2254 # patterns
  case $2 in $1 | $1/*) return 0 ;; esac
  return 1
}
cat "$debian/not-installed" >left_out
while read -r file; do
  homes=""
  out=""
  while read -r pattern; do if matches "$pattern" "$file"; then out=yes; fi; done <left_out
  while read -r package; do
    while read -r pattern; do
      if matches "$pattern" "$file"; then homes="$homes $package"; fi
    done <"$debian/$package.install"
  done <packages
  # shellcheck disable=SC2086 # counted
  set -- $homes
  [ -n "$out" ] || [ $# = 1 ] || fail "$file is in $# packages:$homes"
done <files
while read -r package; do
  while read -r pattern; do
    found=""
    while read -r file; do if matches "$pattern" "$file"; then found=yes; fi; done <files
    [ -n "$found" ] || fail "$package.install: nothing is installed as $pattern"
  done <"$debian/$package.install"
done <packages
# what is left out is left out by dh_install too
while read -r pattern; do
  grep -q -- "-X${pattern##*/}" "$debian/rules" || fail "rules: dh_install does not leave out $pattern"
done <left_out
echo "$(wc -l <files) files in $(wc -l <packages) packages"
exit $wrong
