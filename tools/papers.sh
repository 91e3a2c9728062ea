#!/bin/sh
# Writes the pages docs/papers/*.md anew: what `zwang paper` prints of each paper.
#
#   ZWANG=build/zwang tools/papers.sh [FOLDER]     into FOLDER instead of docs/papers
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
zwang=$(realpath "${ZWANG:-$root/build/zwang}")
folder=${1:-$root/docs/papers}
mkdir -p "$folder"
for file in "$root"/papers/*.paper; do
  name=$(basename "$file" .paper)
  page=$folder/$name.md
  {
    printf '# %s\n\nMade by `make papers` from what `zwang paper %s` prints; [papers.md](../papers.md) says how to read it.\n\n```\n' \
      "$(echo "$name" | tr a-z A-Z)" "$name"
    "$zwang" paper "$name"
    printf '```\n'
  } >"$page.new"
  mv "$page.new" "$page"
done
