#!/bin/sh
# Installs the Debian packages that are missing, and only those.
#
#   sh cmake/packages.sh package=probe …
#
# probe is what the package is wanted for: a command, a header below /usr/include or /usr/local/include, or a file. Where it
# is found, from whatever source, nothing is installed.
set -eu
PATH=${PATH:-/usr/bin:/bin}:/usr/sbin:/sbin

found() {
  case $1 in
    /*) [ -e "$1" ] ;;
    */*) [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ] ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
  esac
}

missing=
for pair in "$@"; do
  found "${pair#*=}" || missing="$missing ${pair%%=*}"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
  echo "amphora: there is no apt-get here; please install the equivalent of:$missing" >&2
  exit 1
fi
as_root=
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "amphora: please run this as root, then try again: apt-get install$missing" >&2
    exit 1
  fi
  as_root=sudo
fi

apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@"; }
install() { apt install --no-install-recommends $missing; }

echo "amphora: installing$missing"
# The lists of packages are fetched only where they are absent or so old that a package cannot be had.
if ! apt install --simulate --no-install-recommends $missing >/dev/null 2>&1 || ! install; then
  apt update
  install
fi
