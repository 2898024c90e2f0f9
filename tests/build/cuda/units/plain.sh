#!/bin/sh
# plain.sh NVCC LIBRARIES ROOT FOLDER [option of nvcc's]: two units in one program. No strong symbol of the library's, and kernels that no
# other object sees, not even with the defaults of toolkits before 13.
set -eu
nvcc=$1 libraries=$2 root=$3 folder=$4 mode=${5:-} units=$(dirname "$0")
mkdir -p "$folder"
for option in static-global-template-stub device-entity-has-hidden-visibility; do
  ! "$nvcc" --help | grep -q -e "--$option" || mode="$mode -$option=false"
done
for unit in one two; do "$nvcc" -std=c++17 -arch=sm_75 -Werror all-warnings $mode -I "$root/include" -c "$units/$unit.cu" -o "$folder/$unit.o"; done
cmake -DNM=nm "-DOBJECTS=$folder/one.o;$folder/two.o" -P "$root/tests/build/symbols.cmake"
sh "$units/../hidden.sh" readelf "$folder/one.o" "$folder/two.o"
"$nvcc" -arch=sm_75 $mode "$units/main.cpp" "$folder/one.o" "$folder/two.o" -lcublas -lcublasLt "-L$libraries" -o "$folder/program"
LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$folder/program"
