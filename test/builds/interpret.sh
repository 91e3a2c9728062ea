#!/usr/bin/env bash
# The build for machines that we write no code for: it links, it interprets, and its tables are those of machine code.
. "$(dirname "$0")/same_tables.bash"
same_tables interpret product || exit 1
"$other" run "$ZWANG_ROOT/examples/pendulum.zw" --json >answer || exit 1
grep -q '"kernel": *"interpret"' answer || { cat answer; echo "the preset 'interpret' does not interpret"; exit 1; }
