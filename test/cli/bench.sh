#!/usr/bin/env bash
# zwang bench: what a model costs.
. "$(dirname "$0")/lib.bash"
cp "$root/examples/andrews.zw" "$root/examples/bouncing-ball.zw" .

zwang bench andrews.zw
is 0
prints "andrews: 7 coordinates, 6 constraints" "  compiled " "  evaluation " "kernels" "solve" "  projection " \
  "501 rows" "the rest"
no_results

zwang bench andrews.zw --json --kernel interpret --formulation lagrange
is 0
prints '"kernel":"interpret"' '"evaluation_seconds":' '"share_rest":' '"rows":501'

# without constraints there is nothing to project
zwang bench bouncing-ball.zw
is 0
! grep -q "  projection " out || fail "a projection without constraints"

# what cannot run is refused as by run
printf "coord x\nkinetic 1/2*x'^2\n" >short.zw
zwang bench short.zw
is 2
says "the model does not say how long to run"
zwang bench
is 2
says "which model?"
printf "coord x\nkinetic 1/2*x'^2\npotential sqrt(1 - x)\nstart x' = 1\nrun 0 .. 2\n" >failing.zw
zwang bench failing.zw
is 1
done_well
