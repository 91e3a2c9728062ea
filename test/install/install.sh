#!/usr/bin/env bash
# Installs, removes, installs again, moves the tree elsewhere, and lets a foreign project use it: with pkg-config and the shared
# library, with pkg-config and the archive, and with CMake and both.
set -eu
unset MAKEFLAGS MAKELEVEL MFLAGS PREFIX DESTDIR # of the make that runs the tests
foreign=$ZWANG_ROOT/test/install/foreign
cc=${CC:-cc}

fail() {
  echo "FAILED: $*" >&2
  if [ -s log ]; then tail -n 30 log >&2; fi
  exit 1
}

# $@: make install or uninstall, without building
front() {
  make -C "$ZWANG_ROOT" -o build "$@" BUILD="$ZWANG_BUILD" INSTALLED="$PWD/installed" >log 2>&1 || fail "make $*"
}

# ---- into a stage, and out again ----
front install PREFIX=/opt/zwang DESTDIR="$PWD/stage"
[ "$(ls stage)" = opt ] || fail "files lie outside of the prefix: $(ls stage)"
cp installed list
for file in bin/zwang lib/libzwang.a lib/libzwang.so include/zwang/zwang.h lib/pkgconfig/zwang.pc lib/cmake/Zwang/ZwangConfig.cmake \
  share/man/man1/zwang.1 share/man/man5/zwang.zw.5 share/bash-completion/completions/zwang share/zsh/site-functions/_zwang \
  share/fish/vendor_completions.d/zwang.fish share/doc/zwang/language.md share/doc/zwang/LICENSE \
  share/vim/vimfiles/syntax/zwang.vim share/zwang/editors/vscode/package.json; do
  [ -s "stage/opt/zwang/$file" ] || fail "$file is not installed"
done
for folder in examples lib; do
  (cd "$ZWANG_ROOT/$folder" && ls -- *.zw) >expected
  (cd "stage/opt/zwang/share/zwang/$folder" && ls) >found
  cmp -s expected found || fail "share/zwang/$folder is not $folder/*.zw: $(diff expected found)"
done
touch stage/opt/zwang/share/zwang/mine
front uninstall DESTDIR="$PWD/stage"
[ "$(find stage ! -type d)" = stage/opt/zwang/share/zwang/mine ] || fail "left behind: $(find stage ! -type d)"
[ ! -e stage/opt/zwang/include/zwang ] || fail "an empty folder was left behind"
if make -C "$ZWANG_ROOT" -o build uninstall INSTALLED="$PWD/installed" >log 2>&1; then fail "what is not there was removed"; fi
grep -q 'nothing is known to be installed' log || fail "it does not say why nothing can be removed"

# ---- to a prefix, and moved ----
front install PREFIX="$PWD/first"
mkdir elsewhere
mv first elsewhere/tree
tree=$PWD/elsewhere/tree
if grep -rlIF -e "$PWD/first" -e "$ZWANG_BUILD" -e "$ZWANG_ROOT" "$tree" >log; then
  fail "these files know where they were made:"
fi
model=$tree/share/zwang/examples/slider-crank.zw
"$tree/bin/zwang" run "$model" --quiet
# the last row as name=value, as the foreign program prints it
awk -F, 'NR == 1 { split($0, name) } END { for (i = 1; i <= NF; i++) printf "%s%s=%s", (i > 1 ? " " : ""), name[i], $i; print "" }' \
  slider-crank.csv >expected
"$tree/bin/zwang" --version | head -n 1 >>expected

# PROGRAM: gives the same motion as the installed program, number by number
uses_library() {
  "$@" "$model" >got || fail "$* does not run"
  awk 'NR == FNR { want[FNR] = $0; next }
    { n = split(want[FNR], a, " "); if (n != NF || n == 0) exit 1
      for (i = 1; i <= n; i++) { split(a[i], x, "="); split($i, y, "="); if (x[1] != y[1] || x[2] + 0 != y[2] + 0) exit 1 } }
    END { if (FNR != 2) exit 1 }' expected got || fail "$* says $(cat got), not $(cat expected)"
}
needs_library() {
  readelf -d "$1" | grep -q 'NEEDED.*libzwang\.so\.0'
}

# ---- pkg-config ----
export PKG_CONFIG_PATH=$tree/lib/pkgconfig
[ "zwang $(pkg-config --modversion zwang)" = "$(tail -n 1 expected)" ] || fail "pkg-config and program are of two versions"
strict="-std=c99 -Wall -Wextra -Wpedantic -Werror"
# shellcheck disable=SC2046,SC2086 # lists of words
"$cc" $strict "$foreign/main.c" $(pkg-config --cflags --libs zwang) -o with_shared
needs_library with_shared || fail "pkg-config without --static does not give the shared library"
uses_library env LD_LIBRARY_PATH="$tree/lib" ./with_shared
# shellcheck disable=SC2046,SC2086
"$cc" $strict -static "$foreign/main.c" $(pkg-config --static --cflags --libs zwang) -o with_static
if readelf -d with_static | grep -q NEEDED; then fail "the static program needs libraries"; fi
uses_library ./with_static

# ---- CMake ----
cmake -S "$foreign" -B cmake -DCMAKE_PREFIX_PATH="$tree" -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_C_FLAGS="$strict" >log 2>&1 || fail "find_package"
cmake --build cmake >log 2>&1 || fail "the foreign project does not build"
needs_library cmake/with_shared || fail "Zwang::zwang is not the shared library"
if needs_library cmake/with_static; then fail "Zwang::static is the shared library"; fi
uses_library cmake/with_shared
uses_library cmake/with_static

# what the pages show
mkdir hello
# shellcheck disable=SC2016 # fences, no commands
sed -n '/^```c$/,/^```$/{/^```/d;p}' "$tree/share/doc/zwang/hello.md" >hello/hello.c
# shellcheck disable=SC2016
sed -n '/^```cmake$/,/^```$/{/^```/d;p}' "$tree/share/doc/zwang/install.md" >hello/CMakeLists.txt
cmake -S hello -B hello/build -DCMAKE_PREFIX_PATH="$tree" >log 2>&1 || fail "the project of install.md"
cmake --build hello/build >log 2>&1 || fail "the program of hello.md does not build as install.md says"
hello/build/hello >log || fail "the program of hello.md does not run"
grep -q '^energy drift' log || fail "the program of hello.md does not get to its end"

# LINES: whether a project with these lines is content
configures() {
  rm -rf small
  mkdir small
  printf 'cmake_minimum_required(VERSION 3.16)\nproject(small C)\n%s\n' "$1" >small/CMakeLists.txt
  cmake -S small -B small/build -DCMAKE_PREFIX_PATH="$tree" >log 2>&1
}
refused() { # LINES MESSAGE
  if configures "$1"; then fail "$1 is content"; fi
  tr -s ' \n' ' ' <log | grep -qF "$2" || fail "$1 does not say: $2"
}
refused "find_package(Zwang 9 REQUIRED)" "compatible with requested version \"9\""
refused "find_package(Zwang REQUIRED COMPONENTS nonsense)" "Zwang has no component 'nonsense'; there are shared and static."
# where the archive of CVODE is missing, only who asks for ours is told
if grep -q 'sundials' "$tree/lib/pkgconfig/zwang.pc"; then
  alone='set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)
set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)'
  configures "$alone
find_package(Zwang REQUIRED)
if(NOT TARGET Zwang::zwang OR TARGET Zwang::static)
  message(FATAL_ERROR \"the targets are wrong\")
endif()" || fail "the shared library asks for CVODE"
  refused "$alone
find_package(Zwang REQUIRED COMPONENTS static)" "The archive of Zwang needs libsundials_cvode.a, which was not found"
fi

# ---- headers: each alone, as C and as C++ ----
for header in "$tree"/include/zwang/*.h; do
  echo "#include \"zwang/$(basename "$header")\"" >alone.c
  for language in "c -std=c99" "c -std=c17" "c++ -std=c++11" "c++ -std=c++20"; do
    # shellcheck disable=SC2086 # two words
    "$cc" -x $language -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$tree/include" alone.c ||
      fail "$header does not compile as $language"
  done
done
echo "$(wc -l <list) files installed, moved and used in five programs"
