#!/bin/sh
# compare.sh NVCC ROOT FOLDER: the same kernels, name by name and instruction by instruction, whether a policy or a person chose them.
set -eu
nvcc=$1 root=$2 folder=$3 sources=$(dirname "$0")
mkdir -p "$folder"
# One function a line, sorted, without comments: their order is the compiler's affair.
for file in by_policy by_hand; do
  "$nvcc" -std=c++17 -arch=sm_90 -Werror all-warnings -I "$root/include" -ptx "$sources/$file.cu" -o "$folder/$file.ptx"
  sed 's://.*::; s/[ \t]*$//; /^$/d; s/^\.weak \.entry/\n&/; s/^\.visible \.entry/\n.weak .entry/' "$folder/$file.ptx" |
    awk 'BEGIN { RS = "" } /\.entry/ { gsub("\n", "\\n"); print }' | sort >"$folder/$file.kernels"
done
kernels=$(wc -l <"$folder/by_hand.kernels")
[ "$kernels" = 3 ] || { echo "$kernels kernels where three are written down" >&2; exit 1; }
cmp "$folder/by_policy.kernels" "$folder/by_hand.kernels"
echo "$kernels kernels, $(wc -c <"$folder/by_hand.kernels") bytes of PTX, equal"
