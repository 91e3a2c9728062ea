#!/bin/sh
# Puts the package where Debian's Python looks for it, below STAGE; it uses the shared library of the build folder ZWANG_BUILD.
#   stage.sh STAGE
set -eu
mkdir -p "$1"
stage=$(cd "$1" && pwd)
ZWANG_BUILD=$(cd "$ZWANG_BUILD" && pwd)
export ZWANG_BUILD ZWANG_SHARED=1
work=$(mktemp -d "${TMPDIR:-/tmp}/zwang-stage.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/info"
cd "$(dirname "$0")"
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -W ignore setup.py -q egg_info --egg-base "$work/info" build --build-base "$work/build" \
  install --root "$stage" --install-layout deb --no-compile
