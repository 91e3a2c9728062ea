#!/usr/bin/env bash
# Builds the wheel offline, installs it into an empty folder and runs its tests there; the source tree stays as it is.
set -eu
fail() {
  echo "FAILED: $*" >&2
  if [ -s log ]; then tail -n 40 log >&2; fi
  exit 1
}
bind=$ZWANG_ROOT/bind/python
python=$("$bind/find_python.sh" setuptools wheel pip numpy pytest) || fail "tools/setup.sh test installs what is missing"
export PYTHON=$python PYTHONDONTWRITEBYTECODE=1
unset PYTHONPATH

(cd "$bind" && find . | sort) >before
CFLAGS=-Werror "$bind/wheel.sh" "$PWD/wheels" >log 2>&1 || fail "the wheel does not build"
(cd "$bind" && find . | sort) | diff before - || fail "building has left files in the source tree"
wheel=$(echo wheels/zwang-*.whl)
case $wheel in *-cp311-abi3-linux_*.whl) ;; *) fail "$wheel is not of the limited API" ;; esac
"$python" -m pip install --quiet --no-index --no-deps --target installed "$wheel" >log 2>&1 || fail "the wheel cannot be installed"

# ---- it needs no other library, and shows none of its own names to those of others ----
extension=installed/zwang/_zwang.abi3.so
readelf -d "$extension" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' >needed
if grep -Ev '^(libc|libm|libdl|ld-linux.*)\.so' needed; then fail "the wheel is not self-contained"; fi
nm -D --defined-only "$extension" | awk '{print $3}' >shown
[ "$(cat shown)" = PyInit__zwang ] || fail "it shows $(head -n 5 shown | tr '\n' ' ')"

# ---- its tests ----
export PYTHONPATH=$PWD/installed
"$python" -m pytest -q -c "$bind/pyproject.toml" --rootdir "$bind" --basetemp "$PWD/temporary" "$bind/tests"
