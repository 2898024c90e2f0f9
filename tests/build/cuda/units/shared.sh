#!/bin/sh
# shared.sh NVCC LIBRARIES ROOT FOLDER: two shared objects in one program. Neither exports a kernel.
set -eu
nvcc=$1 libraries=$2 root=$3 folder=$4 units=$(dirname "$0")
mkdir -p "$folder"
for unit in one two; do
  "$nvcc" -std=c++17 -arch=sm_75 -Werror all-warnings -Xcompiler -fPIC -shared -I "$root/include" "$units/$unit.cu" -lcublas -lcublasLt "-L$libraries" -o "$folder/lib$unit.so"
  nm -C "$folder/lib$unit.so" | grep -q ' void amphora::.*::map_elements<' || { echo "lib$unit.so has no kernel, so nothing was tested" >&2; exit 1; }
  if nm -DC --defined-only "$folder/lib$unit.so" | grep -E ' void amphora::[a-z0-9_]+::detail::(map_elements|fill_words|run_once|run_each|write_bytes)<'; then
    echo "lib$unit.so exports kernels" >&2
    exit 1
  fi
done
"$nvcc" -cudart none "$units/main.cpp" "-L$folder" -lone -ltwo "-L$libraries" -Xlinker "-rpath-link,$libraries" -o "$folder/program"
LD_LIBRARY_PATH="$folder:$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$folder/program"
