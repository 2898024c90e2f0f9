#!/bin/sh
# Five seeds under every level and format: O0, O1 and O2 reach 98 % on average and 97 % each time, O1 and O2 within half a
# point of O0, and O3 trains.
#
#   accuracy.sh train_digits folder
set -eu
program=$1 folder=$2
rm -rf "$folder"
for seed in 1 2 3 4 5; do
  "$program" --level all --format all --seed $seed --report "$folder/$seed" | tail -n 10
done
awk -F, '
  FNR == 1 { next }
  { run = $1 " " $2; sum[run] += $3; n[run]++; if (!(run in least) || $3 < least[run]) least[run] = $3 }
  function bad(run, what) { print run ": " what; failed = 1 }
  END {
    for (run in n) runs++
    if (runs != 7) bad("all", runs " runs instead of 7")
    zero = sum["O0 f32"] / n["O0 f32"]
    for (run in n) {
      mean = sum[run] / n[run]
      printf "%-8s mean %.2f %%, least %.2f %%, %d seeds\n", run, mean, least[run], n[run]
      if (n[run] != 5) bad(run, "not five seeds")
      if (run ~ /^O3/) { if (least[run] < 90) bad(run, "does not train"); continue }
      if (mean < 98) bad(run, "mean below 98 %")
      if (least[run] < 97) bad(run, "a seed below 97 %")
      if (mean < zero - 0.5 || mean > zero + 0.5) bad(run, "mean not within 0.5 points of O0")
    }
    exit failed
  }' "$folder"/*/summary.csv
