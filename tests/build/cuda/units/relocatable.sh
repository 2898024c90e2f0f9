#!/bin/sh
# relocatable.sh NVCC LIBRARIES ROOT FOLDER: as plain.sh, with kernels that the device's linker sees together.
exec sh "$(dirname "$0")/plain.sh" "$1" "$2" "$3" "$4" -rdc=true
