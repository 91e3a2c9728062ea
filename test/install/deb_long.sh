#!/usr/bin/env bash
# Builds the Debian packages, unpacks them into an empty root, runs the program from there and builds a foreign project with them.
set -eu
fail() {
  echo "FAILED: $*" >&2
  if [ -s log ]; then tail -n 40 log >&2; fi
  exit 1
}
command -v dh >/dev/null || fail "there is no debhelper; tools/setup.sh deb installs it"
unset MAKEFLAGS MAKELEVEL MFLAGS PREFIX DESTDIR CC
"$ZWANG_ROOT/tools/deb.sh" "$PWD/built" -j 1 >log 2>&1 || fail "the packages do not build"
for package in zwang libzwang0 libzwang-dev python3-zwang; do
  dpkg-deb -x "built/${package}"_*.deb root || fail "there is no package $package"
done
: >log
dpkg-deb -f built/zwang_*.deb Recommends | grep -q '^libhdf5' || fail "zwang does not recommend libhdf5"
dpkg-deb -I built/libzwang0_*.deb symbols >exported
grep -q 'ZWANG_0' exported || fail "libzwang0 has no list of its symbols"
if command -v lintian >/dev/null; then
  lintian --allow-root built/*.changes >log 2>&1 || fail "lintian"
  if grep '^[EW]:' log; then fail "lintian has found something"; fi
fi

usr=$PWD/root/usr
model=$usr/share/zwang/examples/slider-crank.zw
"$usr/bin/zwang" --version
"$usr/bin/zwang" run "$model" || fail "the program does not run"
zcat "$usr/share/man/man5/zwang.zw.5.gz" | head -n 1 | grep -q '^\.TH ZWANG\.ZW 5' || fail "there is no manual page"
libraries=$(dirname "$usr"/lib/*/libzwang.so)
export PKG_CONFIG_PATH=$libraries/pkgconfig
# shellcheck disable=SC2046 # a list of words
cc "$ZWANG_ROOT/test/install/foreign/main.c" $(pkg-config --cflags --libs zwang) -o with_pkg_config
LD_LIBRARY_PATH=$libraries ./with_pkg_config "$model" >first
cmake -S "$ZWANG_ROOT/test/install/foreign" -B cmake -DCMAKE_PREFIX_PATH="$usr" >log 2>&1 || fail "find_package"
cmake --build cmake >log 2>&1 || fail "the foreign project does not build"
for program in with_shared with_static; do
  cmake/$program "$model" | cmp - first || fail "$program has another motion"
done
cat first

# ---- the Python package, with the shared library of the other ----
dpkg-deb -f built/python3-zwang_*.deb Depends | grep -q 'libzwang0.*python3-numpy\|python3-numpy.*libzwang0' ||
  fail "python3-zwang does not depend on libzwang0 and python3-numpy"
PYTHONPATH=$usr/lib/python3/dist-packages LD_LIBRARY_PATH=$libraries /usr/bin/python3 -c "
import zwang
print(zwang.Model('$model').run().report)" || fail "the Python package does not run"
