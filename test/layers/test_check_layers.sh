#!/bin/sh
# Does check_layers.sh find a wrong include? Runs in an empty folder.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

new_tree() {
  rm -rf tree
  mkdir -p tree/src/base tree/src/expr tree/src/least tree/src/motion tree/src/cli tree/include/zwang
  cp "$here/../../src/LAYERS" tree/src/LAYERS
  echo '#include <math.h>' >tree/src/base/arena.h
  printf '#include "base/arena.h"\n#include "zwang/types.h"\n' >tree/src/least/dense.c
  printf '#include "zwang/zwang.h"\n#include "motion/step.h"\n' >tree/src/zwang.c
  printf '#include "zwang/zwang.h"\n#include "cli/options.h"\n' >tree/src/cli/main.c
  echo '#include "zwang/status.h"' >tree/include/zwang/types.h
}

# expect FILE:LINE  - the check fails and names exactly this place
expect() {
  if "$here/check_layers.sh" tree >report; then
    echo "not noticed: $1"
    exit 1
  fi
  grep -q "^$1: " report || { echo "wanted $1, got:"; cat report; exit 1; }
  grep -q ' 1 wrong' report || { echo "wanted one report for $1, got:"; cat report; exit 1; }
}

new_tree
"$here/check_layers.sh" tree

printf '\n#include "motion/step.h"\n' >tree/src/base/arena.h
expect src/base/arena.h:2

new_tree
printf '/* */\n\n  #  include "expr/graph.h"\n' >tree/src/least/rank.h
expect src/least/rank.h:3

new_tree
echo '#include "cli/options.h"' >>tree/src/zwang.c
expect src/zwang.c:3

new_tree
echo '#include "zwang/zwang.h"' >tree/src/motion/step.h
expect src/motion/step.h:1

new_tree
echo '#include "arena.h"' >tree/src/base/arena.c
expect src/base/arena.c:1

new_tree
echo '#include "base/arena.h"' >tree/include/zwang/zwang.h
expect include/zwang/zwang.h:1

new_tree
mkdir tree/src/util
echo '#include <stdio.h>' >tree/src/util/util.c
expect src/util/util.c:1

echo "every wrong include was found"
