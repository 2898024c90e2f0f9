#!/bin/sh
# build_cuda.sh NVCC LIBRARIES PREFIX PROGRAM: builds the CUDA consumer with what pkg-config says, and runs.
set -eu
export PKG_CONFIG_PATH="$3/share/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
# Where the toolkit keeps its libraries is the user's to say, as the linker's path or like this.
LIBRARY_PATH="$2${LIBRARY_PATH:+:$LIBRARY_PATH}" "$1" -arch=sm_75 "$(dirname "$0")/../cuda/consumer.cu" $(pkg-config --cflags --libs amphora-cuda) -o "$4"
LD_LIBRARY_PATH="$2${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$4"
