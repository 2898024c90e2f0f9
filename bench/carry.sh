#!/bin/sh
# Copies the headers that the build needs from this machine into bench/carried/, for a machine with a GPU that can install nothing.
#
#   sh bench/carry.sh          then take the tree there, bench/carried/ included, and run: sh bench/gpu.sh
#
# bench/carried/ has the layout of /usr and is found through CMAKE_PREFIX_PATH; git ignores it. About 16 MB.
set -eu
cd "$(dirname "$0")/.."
sh cmake/packages.sh g++=g++ libboost-dev=boost/hana.hpp libboost-context-dev=boost/context/fiber.hpp libeigen3-dev=eigen3/Eigen/Core \
  doctest-dev=doctest/doctest.h nlohmann-json3-dev=nlohmann/json.hpp libcli11-dev=CLI/CLI.hpp libfmt-dev=fmt/format.h

rm -rf bench/carried
mkdir -p bench/carried/include

# Of Boost what Hana and the emulator's fibers include, and no more.
printf '#include <boost/hana.hpp>\n#include <boost/context/fiber.hpp>\n#include <boost/context/pooled_fixedsize_stack.hpp>\n#include <boost/version.hpp>\n' |
  g++ -std=c++17 -M -MG -x c++ - | tr ' \\' '\n\n' | sed -n 's,^/usr/include/,,p' | grep '^boost/' | sort -u |
  while read -r header; do
    mkdir -p "bench/carried/include/$(dirname "$header")"
    cp "/usr/include/$header" "bench/carried/include/$header"
  done
for package in libeigen3-dev doctest-dev nlohmann-json3-dev libcli11-dev libfmt-dev; do
  dpkg -L "$package" | sed 's,^/usr/,,' | grep -E '^(include|share/eigen3|share/cmake|lib/.*cmake|share/.*/cmake)/' | while read -r file; do
    [ -f "/usr/$file" ] || continue
    mkdir -p "bench/carried/$(dirname "$file")"
    cp "/usr/$file" "bench/carried/$file"
  done
done
# What is linked: the fibers as an archive, fmt as the library that its CMake files name.
for library in $(dpkg -L libboost-context-dev libboost-context1.74-dev 2>/dev/null | grep 'libboost_context\.a$') $(dpkg -L libfmt-dev libfmt9 2>/dev/null | grep 'libfmt\.so'); do
  mkdir -p "bench/carried/$(dirname "${library#/usr/}")"
  cp "$library" "bench/carried/${library#/usr/}"
done
du -sh bench/carried
