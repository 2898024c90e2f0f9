#!/bin/sh
# build.sh COMPILER PREFIX PROGRAM: builds with what pkg-config says, and runs.
set -eu
export PKG_CONFIG_PATH="$2/share/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
[ "$(pkg-config --modversion amphora)" = "$4" ]
$1 -std=c++17 "$(dirname "$0")/../consumer.cpp" $(pkg-config --cflags --libs amphora) -o "$3"
exec "$3"
