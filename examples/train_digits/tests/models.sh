#!/bin/sh
# The other models train under every level, to nearly the same accuracy, give equal files for any number of threads, and go on from what they saved.
#
#   models.sh train_digits folder
set -eu
program=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

# trains model epochs least: what O0, O1 and O2 reach at least, in percent; O3 trains.
trains() {
  "$program" --model "$1" --level all --format all --epochs "$2" >"$1.log"
  awk -v model="$1" -v least="$3" '
    /^O[0-3] .*%/ && NF == 9 {
      rows++
      want = $1 == "O3" ? least - 3 : least
      print model, $1, $2 ": " $3 " %" ($3 < want ? ", below " want " %" : "")
      if ($3 < want) failed = 1
    }
    END { exit failed || rows != 7 }' "$1.log"
}
trains cnn 4 98
trains transformer 4 95

for model in cnn transformer; do
  for threads in 1 2; do "$program" --model $model --hidden 8,8 --epochs 2 --threads $threads --save $threads.state >$threads.log; done
  cmp 1.state 2.state
  # Half of it, and the rest from the file: running statistics of batch norm are part of the state.
  "$program" --model $model --hidden 8,8 --epochs 1 --save half.state >half.log
  "$program" --model $model --hidden 8,8 --epochs 2 --resume half.state --save whole.state >whole.log
  cmp 1.state whole.state
  echo "$model: equal on one thread, on two, and resumed"
done
