#!/bin/sh
# What including the library costs: seconds over an empty file, best of several, for every compiler that is here.
#
#   sh bench/header_cost.sh [rounds] [compiler …]
#
# "types" is formats, ops and policies (what a CUDA unit includes); "amphora.hpp" is the whole umbrella, Eigen's headers
# among it; "Eigen/Core" alone stands beside it, since that is most of it.
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-5}
[ $# -eq 0 ] || shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
PATH=$PATH:/usr/local/cuda/bin
eigen=$(pkg-config --cflags eigen3 2>/dev/null || echo -I/usr/include/eigen3)

: >"$folder/empty.cpp"
sed -n 's:^  include/\(amphora/\(format\|op\|policy\)/.*\)$:#include <\1>:p' cmake/headers.cmake | grep -v describe >"$folder/types.cpp"
echo '#include <amphora/amphora.hpp>' >"$folder/umbrella.cpp"
echo '#include <Eigen/Core>' >"$folder/eigen.cpp"

# Milliseconds to compile a file, best of several.
measure() {
  best=
  for round in $(seq "$rounds"); do
    start=$(date +%s%N)
    $1 -std=c++17 $2 -I include $eigen -c "$3" -o "$folder/o.o" || return 1
    taken=$((($(date +%s%N) - start) / 10000))
    [ -n "$best" ] && [ "$best" -le "$taken" ] || best=$taken
  done
  echo "$best"
}
seconds() { awk -v x="$1" -v base="${2:-0}" 'BEGIN { printf "%10.2f", (x - base) / 1e5 }'; }

printf '%-12s%10s%10s%12s%12s   seconds, the last three over empty\n' compiler empty types amphora.hpp Eigen/Core
for compiler in ${*:-g++ clang++ nvcc}; do
  command -v "$compiler" >/dev/null 2>&1 || continue
  flags=
  [ "$(basename "$compiler")" != nvcc ] || flags='-x cu -arch=sm_90'
  empty=$(measure "$compiler" "$flags" "$folder/empty.cpp")
  types=$(measure "$compiler" "$flags" "$folder/types.cpp")
  umbrella=$(measure "$compiler" "$flags" "$folder/umbrella.cpp" 2>/dev/null) || umbrella=
  eigen_only=$(measure "$compiler" "$flags" "$folder/eigen.cpp" 2>/dev/null) || eigen_only=
  printf '%-12s%s%s' "$compiler" "$(seconds "$empty")" "$(seconds "$types" "$empty")"
  for each in "$umbrella" "$eigen_only"; do
    if [ -n "$each" ]; then printf '  %s' "$(seconds "$each" "$empty")"; else printf '%12s' -; fi
  done
  echo
done
