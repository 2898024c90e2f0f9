#!/bin/sh
# What the command line promises: one line and status 2 for a bad value, clear ends, the files of a report, refused states.
#
#   command_line.sh train_digits folder
set -eu
program=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
failed=0

# ends status arguments…: the exit status is this, and what is not 0 comes with exactly one line, on standard error.
ends() {
  want=$1
  shift
  status=0
  "$program" "$@" >out 2>err || status=$?
  lines=$(wc -l <err)
  if [ $status -ne "$want" ] || { [ "$want" -ne 0 ] && [ "$lines" -ne 1 ]; } || { [ "$want" -eq 0 ] && [ "$lines" -ne 0 ]; }; then
    echo "train_digits $*: status $status, $lines lines:"
    cat err
    failed=1
  fi
}
# says file text: the file holds it.
says() {
  grep -q -e "$2" "$1" || { echo "no '$2' in $1:"; cat "$1"; failed=1; }
}

for bad in '--model rnn' '--model transformer --hidden 64,32' '--model transformer --hidden 6' '--level O4' '--level o1' '--format f32' '--epochs 0' '--epochs -1' '--epochs 2.5' '--epochs many' '--epochs 99999999999999999999' '--batch 0' \
           '--accumulate 0' '--lr nan' '--lr inf' '--lr -1' '--lr 1e999' '--lr fast' '--clip -1' '--weight-decay x' '--label-smoothing 1.5' '--growth-interval 0' \
           '--init-scale 0' '--init-scale 1e39' '--hidden 0' '--hidden 8,,8' '--hidden 8,' '--hidden a' '--seed -1' '--threads 0' '--device gpu' '--device cuda' '--save-every -1' '--save-every 5' \
           '--level all --save x' '--format all --resume x' '--nothing' 'stray' '--lr'; do
  ends 2 $bad
done
ends 2 --hidden ''
ends 0 --help
says out --label-smoothing
ends 0 --describe --level all --format all
says out '^O3 bf16'
says out 'loss scaling: dynamic'
for model in cnn transformer; do ends 0 --describe --model $model --level O2; done
says out 'scaled_dot_product_attention'

ends 1 --data nothing.csv
says err 'nothing.csv'
printf '1,2\n' >bad.csv
ends 1 --data bad.csv
says err 'bad.csv, line 1'

# A learning rate that blows the weights up: the run ends, and says where it began.
ends 1 --level O0 --lr 1e30 --epochs 2
says err 'step 2 is NaN; the first tensor that is not finite is hidden2.output'
ends 1 --level O2 --format f16 --lr 1000 --epochs 2
says err 'the first tensor that is not finite is hidden[12]\.'

# A report has a row a step and a run, and a drawing where gnuplot is.
ends 0 --level all --format f16 --epochs 2 --batch 500 --report report
[ "$(wc -l <report/steps.csv)" -eq 25 ] || { echo 'not 24 steps'; failed=1; }
[ "$(wc -l <report/epochs.csv)" -eq 9 ] || { echo 'not 8 epochs'; failed=1; }
[ "$(wc -l <report/summary.csv)" -eq 5 ] || { echo 'not 4 runs'; failed=1; }
if command -v gnuplot >/dev/null; then says report/curves.svg '<svg'; fi
ends 0 --level O0 --epochs 1 --batch 2000 --report one
ends 1 --epochs 1 --batch 500 --report /dev/null/report
ends 1 --epochs 1 --batch 500 --save /dev/null/state

# A state goes on only where it belongs, and only whole.
ends 0 --epochs 2 --batch 500 --save good.state
ends 0 --epochs 3 --batch 500 --resume good.state
ends 1 --epochs 3 --batch 500 --seed 2 --resume good.state
says err 'was saved by another run'
ends 1 --epochs 3 --batch 500 --level O0 --resume good.state
ends 1 --epochs 3 --batch 500 --hidden 8 --resume good.state
ends 1 --epochs 3 --batch 500 --model cnn --resume good.state
ends 1 --resume absent.state
head -c 5000 good.state >cut.state
ends 1 --epochs 3 --batch 500 --resume cut.state
exit $failed
