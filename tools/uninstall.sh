#!/bin/sh
# Removes what `make install` has installed, and the folders of ours that are empty then.
#   uninstall.sh LIST [DESTDIR]    LIST: the files, one in each line
set -eu
list=$1
destdir=${2:-}
if [ ! -f "$list" ]; then
  echo "uninstall: nothing is known to be installed: there is no $list" >&2
  exit 1
fi

folders=$(mktemp "${TMPDIR:-/tmp}/zwang-folders.XXXXXX")
trap 'rm -f "$folders"' EXIT
count=0
# the last line has no newline
while IFS= read -r file || [ -n "$file" ]; do
  if [ -e "$destdir$file" ] || [ -h "$destdir$file" ]; then
    rm -- "$destdir$file"
    count=$((count + 1))
  fi
  # every folder above it that is named after us or lies in one that is
  folder=${file%/*}
  while case $folder in *[Zz]wang*) true ;; *) false ;; esac do
    echo "$destdir$folder" >>"$folders"
    folder=${folder%/*}
  done
done <"$list"
sort -ru "$folders" | while IFS= read -r folder; do
  rmdir -- "$folder" 2>/dev/null || true # what others have put there stays
done
rm -f "$list"
echo "uninstall: $count files removed"
