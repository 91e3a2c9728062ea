#!/bin/sh
# Reports every include in src/ that goes against src/LAYERS, with file and line.
#   check_layers.sh [ROOT]     ROOT holds src/ and include/; default: two folders above this script
set -eu
root=${1:-$(dirname "$0")/../..}
cd "$root"

find src include -name '*.[ch]' 2>/dev/null | LC_ALL=C sort | xargs awk '
  # where a file of src/ or include/ stands
  function layer_of(file, part) {
    if (split(file, part, "/") == 2) return "zwang"
    return part[1] == "include" ? "include" : part[2]
  }

  function report(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    wrong++
  }

  # the first file is src/LAYERS
  NR == FNR {
    sub(/#.*/, "")
    if ($1 == "apart") for (i = 2; i <= NF; i++) is_apart[$i] = 1
    else if (NF > 0) rank[$1] = ++count
    next
  }

  FNR == 1 {
    files++
    here = layer_of(FILENAME)
    if (here != "include" && !(here in rank)) report("the folder " here " is not in src/LAYERS")
  }

  /^[ \t]*#[ \t]*include[ \t]*"/ {
    path = $0
    sub(/^[^"]*"/, "", path)
    sub(/".*/, "", path)
    if (path !~ "/") { report("\"" path "\" does not name its folder"); next }
    there = path
    sub("/.*", "", there)
    if (there == "zwang") {
      if (path == "zwang/zwang.h" && here != "include" && rank[here] < rank["zwang"]) report(here " includes " path)
    } else if (here == "include") {
      report("a public header includes " path)
    } else if (!(there in rank)) {
      report(there " in \"" path "\" is not in src/LAYERS")
    } else if (rank[there] > rank[here]) {
      report(here " includes " path ", which comes after it in src/LAYERS")
    } else if (there != here && (there in is_apart) && (here in is_apart)) {
      report(here " includes " path "; these two are to know nothing of each other")
    }
  }

  END {
    if (count == 0 || files == 0) { print "no layers or no files found"; exit 2 }
    printf "%d files, %d wrong includes\n", files, wrong
    exit wrong > 0
  }
' src/LAYERS
