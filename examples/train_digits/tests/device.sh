#!/bin/sh
# The CUDA device trains as the host does, under every level: the same sums in another order, so nearly the same numbers; and
# either goes on from what the other saved.
#
#   device.sh train_digits folder
set -eu
program=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
failed=0

for level in O0 O1 O2 O3; do
  for format in f16 bf16; do
    [ "$level $format" != 'O0 bf16' ] || continue
    for device in host cuda; do
      "$program" --device $device --level $level --format $format --epochs 1 --save $level.$format.$device.state >$device.log 2>&1 || {
        grep -q 'there is no CUDA device' $device.log && exit 77
        cat $device.log
        exit 1
      }
      grep "^$level .*%" $device.log | tail -n 1 >$device.row
    done
    # level, format, accuracy, %, final loss, …
    awk -v name="$level $format" -v loose="$([ $level = O3 ] && echo 3 || echo 1)" '
      { accuracy[NR] = $3; loss[NR] = $5 }
      END {
        a = accuracy[1] - accuracy[2]; l = loss[1] / loss[2] - 1
        ok = NR == 2 && a < loose && a > -loose && l < 0.01 * loose && l > -0.01 * loose
        printf "%s: host %s %%, loss %s; cuda %s %%, loss %s%s\n", name, accuracy[1], loss[1], accuracy[2], loss[2], ok ? "" : ": too far apart"
        exit !ok
      }' host.row cuda.row || failed=1
  done
done

# Small ones of the other models, for a few steps.
for model in cnn transformer; do
  for device in host cuda; do
    "$program" --device $device --model $model --hidden 8,8 --level O2 --epochs 1 --batch 360 >$device.log
    grep '^O2 .*%' $device.log | tail -n 1 >$device.row
  done
  awk -v name="$model" '
    { accuracy[NR] = $3; loss[NR] = $5 }
    END {
      a = accuracy[1] - accuracy[2]; l = loss[1] / loss[2] - 1
      ok = NR == 2 && a < 2 && a > -2 && l < 0.01 && l > -0.01
      printf "%s: host %s %%, loss %s; cuda %s %%, loss %s%s\n", name, accuracy[1], loss[1], accuracy[2], loss[2], ok ? "" : ": too far apart"
      exit !ok
    }' host.row cuda.row || failed=1
done

for pair in 'host cuda' 'cuda host'; do
  from=${pair% *} to=${pair#* }
  "$program" --device "$to" --level O2 --format f16 --epochs 2 --resume O2.f16.$from.state >resumed.log
  awk -v name="$pair" '/^O2 .*%/ { accuracy = $3 } END { ok = accuracy > 94; print "resumed from " name ": " accuracy " %"; exit !ok }' resumed.log || failed=1
done
exit $failed
