#!/bin/sh
# Builds the wheel into a folder, without network, and leaves nothing in the source tree.
#   wheel.sh DIR      PYTHON: which python3; ZWANG_BUILD: a build folder that has libzwang.a already
set -eu
mkdir -p "$1"
to=$(cd "$1" && pwd)
if [ -n "${ZWANG_BUILD:-}" ]; then ZWANG_BUILD=$(cd "$ZWANG_BUILD" && pwd); fi
export ZWANG_BUILD="${ZWANG_BUILD:-}"
work=$(mktemp -d "${TMPDIR:-/tmp}/zwang-wheel.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/info"
cd "$(dirname "$0")"
python=$(./find_python.sh setuptools wheel)
"$python" -W ignore setup.py -q egg_info --egg-base "$work/info" build --build-base "$work/build" \
  bdist_wheel --bdist-dir "$work/wheel" --dist-dir "$to"
