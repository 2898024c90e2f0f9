#!/bin/sh
# Builds and runs every test: installs what is missing, configures, builds, runs. A second run reuses the build.
#
#   sh cmake/test.sh [arguments for ctest]      AMPHORA_PRESET=clang sh cmake/test.sh
#
# The last line printed is ctest's count of tests; the exit status is 0 where all of them passed.
set -eu
cd "$(dirname "$0")/.."
preset=${AMPHORA_PRESET:-host}

sh cmake/packages.sh cmake=cmake ninja-build=ninja g++=g++ clang=clang++ ccache=ccache pkg-config=pkg-config \
  libboost-dev=boost/hana.hpp libeigen3-dev=eigen3/Eigen/Core doctest-dev=doctest/doctest.h \
  nlohmann-json3-dev=nlohmann/json.hpp libcli11-dev=CLI/CLI.hpp libfmt-dev=fmt/format.h \
  libbenchmark-dev=benchmark/benchmark.h gnuplot-nox=gnuplot valgrind=valgrind
case $preset in clang | tsan) sh cmake/packages.sh libomp-dev=/usr/lib/llvm-14/lib/libomp.so ;; esac

. cmake/build.sh
amphora_build "$preset" "build/$preset"

# A pipe hides ctest's exit status, so it goes through a file.
log=build/$preset/test.log
{ ctest --preset "$preset" --output-on-failure --no-tests=error --timeout 1200 -j "$jobs" "$@" 2>&1; echo $? >"$log.status"; } | tee "$log"
status=$(cat "$log.status")
grep -E '^[0-9]+% tests passed' "$log" | tail -n 1 || true
exit "$status"
