#!/bin/sh
# The same numbers on every run and for any number of threads: equal files.
#
#   threads.sh train_digits folder
set -eu
program=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
for run in 'O0 f16' 'O1 f16' 'O2 bf16' 'O3 f16'; do
  for threads in 1 1 2 3; do
    "$program" --level ${run% *} --format ${run#* } --epochs 1 --threads $threads --save $threads.state >$threads.log
    cmp 1.state $threads.state
  done
  echo "$run: equal"
done
