#!/bin/sh
# clang_sm_70.sh CLANG CUBLAS ROOT FOLDER FILE…: clang as the compiler of CUDA 12.9, for the oldest architecture, which CUDA 13 left.
# Both passes compile without a warning. clang inlines and unrolls less than nvcc, so stack frames are counted and no more. The toolkit
# comes from PyPI into FOLDER; cuBLAS' headers, half a gigabyte there, are those of folder CUBLAS.
set -eu
clang=$1 cublas=$2 root=$3 folder=$4
shift 4
if ! "$clang" --version >/dev/null 2>&1; then
  echo "skipped: no clang++-19 (Debian: clang-19)"
  exit 77
fi
mkdir -p "$folder"
if [ ! -e "$folder/nvidia/cuda_nvcc/bin/ptxas" ]; then
  PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$folder" 'nvidia-cuda-nvcc-cu12==12.9.*' \
    'nvidia-cuda-runtime-cu12==12.9.*' 'nvidia-cuda-cccl-cu12==12.9.*' nvidia-curand-cu12
fi
toolkit=$folder/toolkit
rm -rf "$toolkit"
mkdir -p "$toolkit/bin" "$toolkit/include" "$toolkit/nvvm"
for part in cuda_nvcc cuda_runtime cuda_cccl curand; do cp -rfs "$folder/nvidia/$part/include/." "$toolkit/include/"; done
ln -sf "$cublas"/cublas*.h "$toolkit/include/"
for name in Strategy SpecialValuesSupport MantissaControl; do echo "enum cudaEmulation$name : int {};"; done >"$toolkit/include/new_in_13.h"  # what cublas_api.h takes from there
ln -s "$folder/nvidia/cuda_nvcc/nvvm/libdevice" "$toolkit/nvvm/libdevice"
ln -s "$folder/nvidia/cuda_nvcc/bin/ptxas" "$toolkit/bin/ptxas"
for file; do
  log=$folder/$(basename "$file" .cu).log
  compile="$clang -std=c++17 -O2 -x cuda --cuda-path=$toolkit --cuda-gpu-arch=sm_70 -Wall -Wextra -Werror -Wno-unknown-cuda-version -Wno-pass-failed
    -isystem $toolkit/include -include $toolkit/include/new_in_13.h -I $root/include -I $root/tests"
  $compile --cuda-device-only -Xcuda-ptxas -v -c "$file" -o "$log.cubin" 2>"$log" || { cat "$log" >&2; exit 1; }
  $compile --cuda-host-only -fsyntax-only "$file"
  kernels=$(grep -c 'Compiling entry function' "$log") || { echo "no kernels in $file" >&2; exit 1; }
  echo "$file: $kernels kernels, $(grep -c -E '[1-9][0-9]* bytes stack' "$log" || true) functions with a stack frame"
done
