#!/usr/bin/env bash
# --kernel: machine code and interpreter write the same bytes, and the summary says which it was.
. "$(dirname "$0")/lib.bash"

zwang --version
is 0
if grep -q "^machine code for the equations (--kernel native)" out; then best=native; else best=interpret; fi

mkdir native interpret
for model in pendulum andrews heavy-top slider-crank-parts bouncing-ball pleiades; do
  zwang run "$root/examples/$model.zw" --out interpret --kernel interpret
  is 0
  prints ", interpreted"
  zwang run "$root/examples/$model.zw" --out native
  is 0
  [ $best = interpret ] || prints ", machine code"
  cmp "interpret/$model.csv" "native/$model.csv" || fail "$model.csv depends on the kernel"
done

cp "$root/examples/pendulum.zw" .
zwang run pendulum.zw --json
is 0
prints "\"kernel\":\"$best\""
zwang run pendulum.zw --json --kernel=interpret
is 0
prints "\"kernel\":\"interpret\""
if [ $best = native ]; then
  zwang check pendulum.zw --kernel native
  is 0
  zwang compare pendulum.zw --kernel native --at 0
  is 0
fi

# wrong ones
for command in run check compare; do
  zwang $command pendulum.zw --kernel quick
  is 2
  says "there is no kernel 'quick'" "one of auto, interpret, native"
done
zwang derive pendulum.zw --kernel native
is 2
says "'zwang derive' has no option '--kernel'"
