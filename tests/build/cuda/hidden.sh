#!/bin/sh
# hidden.sh READELF OBJECT…: no kernel of these objects can be seen from another shared object.
set -eu
readelf=$1
shift
for object in "$@"; do
  # A kernel's stub is the local function __device_stub_<the kernel's name>; its own name says how long that is.
  "$readelf" -sW "$object" | awk -v object="$object" '
    { bind[$8] = $5; visibility[$8] = $6 }
    match($8, /^_ZL[0-9]+__device_stub_/) {
      digits = $8; sub(/^_ZL/, "", digits); sub(/__device_stub_.*/, "", digits)
      kernel = substr($8, 4 + length(digits), digits + 0); sub(/^__device_stub_/, "", kernel)
      if (!(kernel in kernels)) ++count
      kernels[kernel]
    }
    END {
      for (kernel in kernels) {
        if (!(kernel in bind)) continue
        ++found
        if (bind[kernel] != "LOCAL" && visibility[kernel] != "HIDDEN") { print object ": " bind[kernel], visibility[kernel], kernel; bad = 1 }
      }
      if (!found) { print object ": no kernel was found, so nothing was tested"; bad = 1 }
      printf "%s: %d kernels\n", object, found
      exit bad
    }'
done
