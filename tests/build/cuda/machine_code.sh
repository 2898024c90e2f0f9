#!/bin/sh
# machine_code.sh CUOBJDUMP OBJECT [kernel=what …]: no kernel of the object uses local memory, and each kernel whose name contains
# `kernel` loads (what has an l) and stores (an s) 16 bytes at a time.
set -eu
cuobjdump=$1 object=$2
shift 2
PATH=$(dirname "$cuobjdump"):$PATH  # it calls nvdisasm
if ! "$cuobjdump" --version >/dev/null 2>&1; then
  echo "skipped: no cuobjdump (PyPI: nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm)"
  exit 77
fi
"$cuobjdump" -sass "$object" | awk -v wanted="$*" '
  /Function : / { name = $3; ++functions }
  /[ \t](LDL|STL)[. \t]/ { if (!(name in local_memory)) printf "local memory: %s: %s\n", name, $0; local_memory[name] = bad = 1 }
  /[ \t]LDG\.E[.A-Z0-9]*\.(128|256)/ { ++loads[name] }
  /[ \t]STG\.E[.A-Z0-9]*\.(128|256)/ { ++stores[name] }
  /Function : / { all[name] }
  END {
    if (!functions) { print "no kernels in the object"; exit 1 }
    count = split(wanted, list, " ")
    for (i = 1; i <= count; ++i) {
      split(list[i], want, "=")
      matched = 0
      for (name in all) {
        if (index(name, want[1]) == 0) continue
        ++matched
        if (want[2] ~ /l/ && !loads[name]) { print "no 16-byte load: " name; bad = 1 }
        if (want[2] ~ /s/ && !stores[name]) { print "no 16-byte store: " name; bad = 1 }
      }
      if (!matched) { print "no kernel with the name " want[1]; bad = 1 }
    }
    printf "%d kernels\n", functions
    exit bad
  }'
