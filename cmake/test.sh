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
  libboost-dev=boost/hana.hpp libboost-context-dev=/usr/lib/$(uname -m)-linux-gnu/libboost_context.so libeigen3-dev=eigen3/Eigen/Core doctest-dev=doctest/doctest.h \
  nlohmann-json3-dev=nlohmann/json.hpp libcli11-dev=CLI/CLI.hpp libfmt-dev=fmt/format.h \
  libbenchmark-dev=benchmark/benchmark.h gnuplot-nox=gnuplot valgrind=valgrind
case $preset in clang | tsan) sh cmake/packages.sh libomp-dev=/usr/lib/llvm-14/lib/libomp.so ;; esac

# The emulated CUDA device is compiled against CUDA's own number types and enumerations. Without a toolkit its headers come from
# PyPI, 7 MB, into build/cuda_headers. AMPHORA_CUDA_HEADERS names another folder that has cuda_fp16.h.
headers=${AMPHORA_CUDA_HEADERS:-}
for folder in ${CUDA_PATH:+"$CUDA_PATH/include"} ${CUDA_HOME:+"$CUDA_HOME/include"} /usr/local/cuda/include /usr/local/include /usr/include; do
  [ -n "$headers" ] || [ ! -e "$folder/cuda_fp16.h" ] || headers=$folder
done
if [ -z "$headers" ]; then
  headers=$(pwd)/build/cuda_headers/nvidia/cu13/include
  if [ ! -e "$headers/cuda_fp16.h" ] || [ ! -e "$headers/crt/host_defines.h" ] || [ ! -e "$headers/nv/target" ]; then
    echo "amphora: no CUDA toolkit here; fetching its headers (nvidia-cuda-runtime, nvidia-cuda-crt and nvidia-cuda-cccl from PyPI) into build/cuda_headers"
    python3 -m pip --version >/dev/null 2>&1 || sh cmake/packages.sh python3-pip=/usr/lib/python3/dist-packages/pip
    PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target build/cuda_headers \
      'nvidia-cuda-runtime==13.*' 'nvidia-cuda-crt==13.*' 'nvidia-cuda-cccl==13.*' ||
      { echo "amphora: that failed; please set AMPHORA_CUDA_HEADERS to a folder with CUDA's cuda_fp16.h" >&2; exit 1; }
  fi
fi

# The machine code that nvcc makes is read with cuobjdump and nvdisasm; a toolkit without them gets them from PyPI, 6 MB.
tools=
if PATH="$PATH:/usr/local/cuda/bin" command -v nvcc >/dev/null 2>&1 && ! PATH="$PATH:/usr/local/cuda/bin" command -v cuobjdump >/dev/null 2>&1; then
  tools=$(pwd)/build/cuda_tools/nvidia/cu13/bin
  if [ ! -e "$tools/nvdisasm" ]; then
    echo "amphora: this CUDA toolkit has no cuobjdump; fetching it (nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm from PyPI) into build/cuda_tools"
    python3 -m pip --version >/dev/null 2>&1 || sh cmake/packages.sh python3-pip=/usr/lib/python3/dist-packages/pip
    PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target build/cuda_tools \
      'nvidia-cuda-cuobjdump==13.*' 'nvidia-cuda-nvdisasm==13.*' || { echo "amphora: that failed; the tests of machine code are skipped" >&2; tools=; }
    chmod +x build/cuda_tools/nvidia/cu13/bin/* 2>/dev/null || true
  fi
fi

. cmake/build.sh
amphora_build "$preset" "build/$preset" "-DAMPHORA_CUDA_HEADERS=$headers" ${tools:+"-DAMPHORA_CUOBJDUMP=$tools/cuobjdump"}

# A pipe hides ctest's exit status, so it goes through a file.
log=build/$preset/test.log
echo 0 >"$log.status"
{ ctest --preset "$preset" --output-on-failure --no-tests=error --timeout 1200 -j "$jobs" "$@" 2>&1 || echo $? >"$log.status"; } | tee "$log"
status=$(cat "$log.status")
grep -E '^[0-9]+% tests passed' "$log" | tail -n 1 || true
exit "$status"
