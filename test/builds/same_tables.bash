# Builds a preset and compares every table of examples/ from it with that of the program $ZWANG, byte for byte.
#   same_tables PRESET TARGET
set -u

build_preset() {
  cd "$ZWANG_ROOT" || exit 1
  cmake --preset "$1" -DZW_BUILD_TESTS=OFF -DZW_WERROR=ON >"$folder/log" 2>&1 &&
    cmake --build --preset "$1" --target "$2" --parallel 2 >>"$folder/log" 2>&1 && return
  cat "$folder/log"
  echo "the preset '$1' does not build"
  exit 1
}

# run_all PROGRAM OUT: all tables go to OUT, and the exit status of every run to OUT/status
run_all() {
  mkdir -p "$2"
  for example in "$ZWANG_ROOT"/examples/*.zw; do
    "$1" run "$example" --out "$2" --quiet >/dev/null 2>"$2/messages"
    echo "$(basename "$example") ends with $?" >>"$2/status"
  done
}

same_tables() {
  folder=$PWD
  build_preset "$@"
  other=$ZWANG_ROOT/build/$1/zwang
  cd "$folder" || exit 1
  run_all "$ZWANG" here
  run_all "$other" there
  diff here/status there/status || exit 1
  count=0
  wrong=0
  for table in here/*.csv; do
    count=$((count + 1))
    cmp "$table" "there/${table#here/}" || wrong=$((wrong + 1))
  done
  echo "$wrong of $count tables of examples/ differ between $ZWANG and $other"
  [ "$wrong" -eq 0 ] && [ "$count" -ge "$(ls "$ZWANG_ROOT"/examples/*.zw | wc -l)" ]
}
