#!/bin/sh
# Runs a script in a new empty folder and removes the folder afterwards.
#   in_fresh_folder.sh SCRIPT [ARGUMENTS...]
set -eu
folder=$(mktemp -d "${TMPDIR:-/tmp}/zwang-test.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder"
script=$1
shift
# scripts say in their first line which shell they want; one that is not executable gets bash
if [ -x "$script" ]; then "$script" "$@"; else bash "$script" "$@"; fi
