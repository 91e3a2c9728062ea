#!/usr/bin/env bash
# Builds the wheel by pip from a copy of the tree, the library with it, without network, and installs it into a fresh environment.
set -eu
fail() {
  echo "FAILED: $*" >&2
  if [ -s log ]; then tail -n 40 log >&2; fi
  exit 1
}
python=$("$ZWANG_ROOT/bind/python/find_python.sh" setuptools wheel pip numpy venv) || fail "tools/setup.sh test installs what is missing"
unset PYTHONPATH ZWANG_BUILD MAKEFLAGS MAKELEVEL MFLAGS
mkdir tree
tar -C "$ZWANG_ROOT" --exclude=./build --exclude=./.git -cf - . | tar -C tree -xf -
"$python" -m pip wheel --quiet --no-build-isolation --no-index --no-deps --wheel-dir wheels tree/bind/python >log 2>&1 ||
  fail "pip does not build the wheel"
"$python" -m venv --system-site-packages --without-pip fresh
"$python" -m pip --python fresh/bin/python install --quiet --no-index --no-deps wheels/zwang-*.whl >log 2>&1 ||
  fail "the wheel cannot be installed"
fresh/bin/python - <<'END'
import zwang

report = zwang.Model(zwang.examples()["andrews"]).run().report
print(report)
assert report.dof == 1 and report.energy_drift < 1e-8
END
