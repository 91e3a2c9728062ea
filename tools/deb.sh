#!/bin/sh
# Builds the Debian packages in a copy of the tree, where packaging/debian is debian/.
#   deb.sh FOLDER [-j N]    FOLDER gets the packages; the copy in it is removed when they are built
set -eu
cd "$(dirname "$0")/.."
out=$1
jobs=2
if [ "${2:-}" = -j ]; then jobs=$3; fi

version=$(sed -n '1s/.*(\(.*\)).*/\1/p' packaging/debian/changelog)
copy=$out/zwang-$version
rm -rf "$copy"
mkdir -p "$copy"
tar --exclude=./build --exclude=./.git -cf - . | tar -C "$copy" -xf -
cp -r packaging/debian "$copy/debian"
(cd "$copy" && DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:+$DEB_BUILD_OPTIONS }parallel=$jobs" dpkg-buildpackage -us -uc -b)
rm -rf "$copy"
echo "built:"
ls "$out"/*.deb
