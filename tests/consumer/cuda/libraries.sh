#!/bin/sh
# libraries.sh PROGRAM: it needs no driver to start, and without a device ends with one clear message (its status says so).
set -eu
if ldd "$1" | grep libcuda.so; then echo "linked to the driver" >&2; exit 1; fi
[ ! -e /dev/nvidia0 ] || exit 77
output=$("$1")
[ "$(printf '%s\n' "$output" | wc -l)" = 1 ]
case $output in "amphora [device]: "*) echo "$output" ;; *) echo "$output" >&2; exit 1 ;; esac
