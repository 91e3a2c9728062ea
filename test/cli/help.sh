#!/usr/bin/env bash
# Help, versions, and the stages of the compiler.
. "$(dirname "$0")/lib.bash"
cp "$root/examples/pendulum.zw" .

for arguments in "" help --help -h; do
  # shellcheck disable=SC2086 # none or one
  zwang $arguments
  is 0
  says_nothing
  prints "zwang run" "zwang check" "zwang dump" "zwang derive" "zwang help"
done
for command in run sweep check plot animate dump derive export help version; do
  zwang help $command
  is 0
  says_nothing
  prints "zwang $command"
  cp out with_help
  zwang $command --help
  is 0
  cmp -s out with_help || fail "'$command --help' is not 'help $command'"
done
# every option is explained, and every option explained is known
zwang help run
prints --set --lib --allow-path --limit --to --every --tolerance --format --evidence --resume --checkpoint --out --record --json --quiet "Exit status"
for option in $(grep -o -- '--[a-z][a-z-]*' out | sort -u); do
  zwang run nowhere.zw "$option"
  is 2
  grep -q "unknown option" err && fail "$option is explained but not known"
done
[ "$(awk '{ if (length($0) > 100) n++ } END { print n + 0 }' with_help)" = 0 ] || fail "help is too wide"

zwang help nonsense
is 2
says "there is no command 'nonsense'"
zwang rnu pendulum.zw
is 2
says "there is no command 'rnu'; did you mean 'run'?"
zwang simulate pendulum.zw
is 2
says "there is no command 'simulate'; 'zwang help' lists them"
for command in run sweep check dump derive; do
  zwang $command
  is 2
  says "which model? write: zwang $command FILE"
done

for arguments in --version version; do
  zwang $arguments
  is 0
  says_nothing
  head -n 1 out | grep -qE '^zwang [0-9]+\.[0-9]+\.[0-9]+' || fail "no version"
done

# dump
zwang dump pendulum.zw
is 0
prints "coord x" "constraint (position level) rod"
for stage in text model equations kernel; do
  zwang dump pendulum.zw --stage $stage
  is 0
  says_nothing
  exists out
  cp out dump_$stage
  zwang dump pendulum.zw --stage=$stage
  cmp -s out dump_$stage || fail "two dumps differ"
done
zwang dump pendulum.zw --stage model --set l=3
is 0
prints "param l = 3"
zwang dump pendulum.zw --stage everything
is 2
says "there is no stage 'everything'; choose text, model, equations or kernel"
no_results

# a thousand equal links need as many kernels as ten
chain() { # N
  echo "coord x0 = 0, y0 = 0"
  for ((i = 1; i <= $1; i++)); do echo "coord x$i = $i, y$i = 0"; done
  for ((i = 1; i <= $1; i++)); do
    echo "kinetic 1/2*(x$i'^2 + y$i'^2)"
    echo "potential 9.81*y$i"
    echo "constraint link$i: (x$i - x$((i - 1)))^2 + (y$i - y$((i - 1)))^2 = 1"
  done
}
kernels() {
  sed -n '1s/ kernels,.*//p' out
}
chain 10 >short.zw
chain 1000 >long.zw
zwang dump short.zw --stage kernel
is 0
short=$(kernels)
[ -n "$short" ] || fail "the dump does not say how many kernels there are"
wc -l <out >short_lines
zwang dump long.zw --stage kernel
is 0
[ "$(kernels)" = "$short" ] || fail "$short kernels for ten links, $(kernels) for a thousand"
[ "$(wc -l <out)" = "$(cat short_lines)" ] || fail "the tapes grow with the number of links"
done_well
