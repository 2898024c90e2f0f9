#!/bin/sh
# What including the library costs: seconds over an empty file, best of several, for every compiler that is here.
#
#   sh bench/header_cost.sh [rounds] [compiler …]
#
# "types" is formats, ops and policies (what a CUDA unit includes); "amphora.hpp" is the library for the host, Eigen's headers
# among it; "Eigen/Core" alone stands beside it, since that is most of it. "and tape" has the ops and the tape on top. For nvcc also
# "cuda.cuh" and "cuda_ops.cuh", and beside them CUDA's own headers that they include.
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
printf '#include <amphora/%s.hpp>\n' amphora autograd ops >"$folder/tape.cpp"
echo '#include <Eigen/Core>' >"$folder/eigen.cpp"
echo '#include <amphora/cuda.cuh>' >"$folder/cuda.cpp"
echo '#include <amphora/cuda_ops.cuh>' >"$folder/cuda_ops.cpp"
printf '#include <%s>\n' cuda_bf16.h cuda_fp16.h cublasLt.h cublas_v2.h >"$folder/toolkit.cpp"

# Prints "file time" for each round and file; files take turns, so that a slow moment of the machine meets all of them.
rounds_of() {
  for round in $(seq "$rounds"); do
    for file in empty types umbrella tape eigen ${3:-}; do
      start=$(date +%s%N)
      $1 -std=c++17 $2 -I include $eigen -c "$folder/$file.cpp" -o "$folder/o.o" >"$folder/$file.log" 2>&1 || continue
      echo "$file $((($(date +%s%N) - start) / 1000))"
    done
  done
}

printf '%-12s%10s%10s%12s%10s%12s%10s%14s%10s   seconds, all but the first over empty\n' compiler empty types amphora.hpp 'and tape' Eigen/Core cuda.cuh cuda_ops.cuh toolkit
for compiler in ${*:-g++ clang++ nvcc}; do
  command -v "$compiler" >/dev/null 2>&1 || continue
  flags= more=
  [ "$(basename "$compiler")" != nvcc ] || flags='-x cu -arch=sm_90' more='cuda cuda_ops toolkit'
  rounds_of "$compiler" "$flags" "$more" | awk -v compiler="$compiler" '
    !($1 in best) || $2 < best[$1] { best[$1] = $2 }
    function over(file) { return file in best ? sprintf("%.2f", (best[file] - best["empty"]) / 1e6) : "-" }
    END { printf "%-12s%10.2f%10s%12s%10s%12s%10s%14s%10s\n", compiler, best["empty"] / 1e6, over("types"), over("umbrella"), over("tape"), over("eigen"), over("cuda"), over("cuda_ops"), over("toolkit") }'
done
