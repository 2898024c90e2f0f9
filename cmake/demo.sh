#!/bin/sh
# Trains the digit classifier under O0, O1, O2 and O3, in f16 and in bf16, and prints the table. Installs what is missing;
# a second run reuses the build.
#
#   sh cmake/demo.sh [arguments for train_digits, e.g. --level O1 --epochs 5 --report out; --help lists them]
#
# With `--device cuda` it trains on the CUDA device: that needs nvcc and a GPU here, and the first build takes minutes.
set -eu
here=$(pwd)
cd "$(dirname "$0")/.."
root=$(pwd)

sh cmake/packages.sh cmake=cmake ninja-build=ninja g++=g++ ccache=ccache libboost-dev=boost/hana.hpp \
  libeigen3-dev=eigen3/Eigen/Core libcli11-dev=CLI/CLI.hpp libfmt-dev=fmt/format.h gnuplot-nox=gnuplot

program=train_digits folder=build/demo cuda=OFF
case " $* " in *' --device cuda '* | *' --device=cuda '*) program=train_digits_cuda folder=build/demo-cuda cuda=ON ;; esac
. cmake/build.sh
amphora_build host $folder $program -DAMPHORA_NATIVE=ON -DAMPHORA_BUILD_TESTS=OFF -DAMPHORA_BUILD_BENCH=OFF -DAMPHORA_CUDA_PROGRAMS=$cuda

level='--level all' format='--format all'
for argument in "$@"; do
  case $argument in
    --level | --level=*) level= ;;
    --format | --format=*) format= ;;
  esac
done
cd "$here"  # so that --save and --report mean the caller's folders
exec "$root/$folder/examples/$program" $level $format "$@"
