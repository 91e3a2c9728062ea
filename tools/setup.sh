#!/bin/sh
# Installs what building, running or testing Zwang needs, and says nothing when it is all there.
#   setup.sh run    what `make build` and `make run` need
#   setup.sh test   and what `make test` needs besides
#   setup.sh fuzz   and what `make fuzz` needs besides
#   setup.sh deb    and what `make deb` needs besides
#   setup.sh python and what `make python` needs besides
set -eu

# The only place where packages are listed (names of Debian 12).
packages_run="gcc libc6-dev make cmake libjansson-dev"
packages_test="ninja-build clang chromium chromium-driver ffmpeg libcmocka-dev libhdf5-dev liblapacke-dev libopenblas-dev librsvg2-bin libsundials-dev locales python3"
packages_fuzz="clang-14 libclang-rt-14-dev"
packages_install="g++ pkg-config groff-base" # of test/install, and to read manual pages
packages_python="python3-dev python3-setuptools python3-wheel python3-numpy"
packages_python_test="python3-pytest python3-scipy python3-sympy python3-pip python3-venv" # python3-pandas and python3-matplotlib are used where they are
packages_deb="debhelper dh-python dpkg-dev fakeroot libhdf5-dev libjansson-dev libsundials-dev"

case "${1:-}" in
  run) packages=$packages_run ;;
  test) packages="$packages_run $packages_test $packages_install $packages_python $packages_python_test" ;;
  fuzz) packages="$packages_run $packages_fuzz" ;;
  deb) packages="$packages_run $packages_deb $packages_python" ;;
  python) packages="$packages_run $packages_python" ;;
  *)
    echo "usage: tools/setup.sh run|test|fuzz|deb|python" >&2
    exit 2
    ;;
esac

# Elsewhere than on Debian and its kin we cannot look packages up; a compiler and cmake are enough to try.
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  if command -v cc >/dev/null && command -v cmake >/dev/null; then
    [ "$1" = run ] || echo "setup: not a Debian system; the tests need what Debian calls: $packages_test" >&2
    exit 0
  fi
  echo "setup: not a Debian system; please install what Debian calls: $packages" >&2
  exit 1
fi

missing=""
for package in $packages; do
  status=$(dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | head -n 1) || true
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
  as_root="env"
elif command -v sudo >/dev/null; then
  as_root="sudo env"
else
  echo "setup: some packages are missing. As root, run:" >&2
  echo "  apt-get update && apt-get install --no-install-recommends$missing" >&2
  exit 1
fi

echo "setup: installing$missing"
$as_root DEBIAN_FRONTEND=noninteractive apt-get -qq update
# shellcheck disable=SC2086 # a list of words
$as_root DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends $missing
