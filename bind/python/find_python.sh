#!/bin/sh
# Prints a Python that can build extensions: $PYTHON, or the first of python3 and Debian's own that has Python.h and the modules named.
#   find_python.sh [MODULES...]    fails, and says what is missing
set -u
can() {
  "$1" - "$@" 2>/dev/null <<'END'
import importlib.util, os, sys, sysconfig
has_header = os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
is_new = sys.version_info >= (3, 11)
sys.exit(not (is_new and has_header and all(importlib.util.find_spec(name) for name in sys.argv[2:])))
END
}
for python in ${PYTHON:-python3 /usr/bin/python3}; do
  if can "$python" "$@"; then
    echo "$python"
    exit 0
  fi
done
echo "python: none of ${PYTHON:-python3, /usr/bin/python3} is 3.11 or later with Python.h (python3-dev) and: $*" >&2
exit 1
