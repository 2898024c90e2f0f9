#!/bin/sh
# build_cuda.sh NVCC PREFIX PROGRAM: builds the CUDA consumer with what pkg-config says, and runs.
set -eu
export PKG_CONFIG_PATH="$2/share/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
# Where the toolkit keeps its libraries is the user's to say, as the linker's path or like this.
folder=$(dirname "$(readlink -f "$1")")/../lib64
LIBRARY_PATH="$folder${LIBRARY_PATH:+:$LIBRARY_PATH}" "$1" -arch=sm_75 "$(dirname "$0")/../cuda/consumer.cu" $(pkg-config --cflags --libs amphora-cuda) -o "$3"
LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$3"
