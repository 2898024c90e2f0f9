#!/bin/sh
# Kills a training run at random moments and resumes it from the file that it left, until it is through: the file at the
# end is the same, byte for byte, as that of a run that nobody disturbed.
#
#   resume.sh train_digits folder
set -eu
program=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
echo "moments from seed $seed"
killed=0

# same level format options…
same() {
  level=$1 format=$2
  shift 2
  set -- --level "$level" --format "$format" --epochs 6 --save-every 7 "$@"
  begin=$(date +%s%N)
  "$program" "$@" --save whole.state >whole.log
  whole=$((($(date +%s%N) - begin) / 1000000))
  for round in 1 2; do
    rm -f cut.state*
    tries=0
    while :; do
      resume=
      [ -e cut.state ] && resume='--resume cut.state'
      "$program" "$@" --save cut.state $resume >cut.log 2>&1 &
      child=$!
      seed=$(((seed * 1103515245 + 12345) % 2147483648))
      tries=$((tries + 1))
      # Early on somewhere within the run, later with ever more time, so that it ends.
      sleep "$(awk "BEGIN { print (($seed / 65536) % 1000) / 1000 * $whole / 1000 * (0.6 + 0.1 * $tries) }")"
      kill -KILL $child 2>/dev/null || true
      status=0
      wait $child 2>/dev/null || status=$?
      [ $status -eq 0 ] && break
      [ $status -eq 137 ] || { cat cut.log; echo "$level $format: exit status $status"; exit 1; }
      killed=$((killed + 1))
    done
    cmp whole.state cut.state || { echo "$level $format, round $round: another file after $tries tries"; exit 1; }
    # The row of the table: everything but the speed.
    for log in whole cut; do grep "^$level .*%" $log.log | tail -n 1 | sed 's/ *[0-9]*$//' >$log.row; done
    cmp whole.row cut.row || { cat whole.row cut.row; exit 1; }
    echo "$level $format, round $round: equal after $tries tries"
  done
}

same O0 f16 --hidden 40,24
same O1 f16
same O1 f16 --hidden 40,24 --batch 20 --accumulate 3 --init-scale 1e9
same O2 bf16 --hidden 40 --growth-interval 5
same O3 f16 --hidden 24,24,24
[ $killed -ge 4 ] || { echo "only $killed runs were cut"; exit 1; }
