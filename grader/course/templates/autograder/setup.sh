#!/bin/sh
# SPDX-License-Identifier: MIT
# Gradescope runs this as root, once, when it builds the image. An image of your own that holds nvcc, g++ and bubblewrap
# needs nothing from the network.
set -eu
source=${AUTOGRADER_ROOT:-/autograder}/source

has_nvcc() {
  command -v nvcc >/dev/null 2>&1 || ls /usr/local/cuda*/bin/nvcc >/dev/null 2>&1
}

if ! has_nvcc || [ ! -x /usr/bin/g++ ] || [ ! -x /usr/bin/bwrap ]; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update
  apt-get install -y --no-install-recommends g++ bubblewrap ca-certificates curl
fi
if ! has_nvcc; then
  . /etc/os-release
  keyring=cuda-keyring_1.1-1_all.deb
  curl -fsSL -o "/tmp/$keyring" \
    "https://developer.download.nvidia.com/compute/cuda/repos/$ID$(echo "$VERSION_ID" | tr -d .)/x86_64/$keyring"
  dpkg -i "/tmp/$keyring"
  rm "/tmp/$keyring"
  apt-get update
  apt-get install -y --no-install-recommends cuda-nvcc-@cuda@ cuda-cudart-dev-@cuda@ cuda-nvtx-@cuda@ cuda-cccl-@cuda@
fi
has_nvcc || { echo "setup.sh: nvcc was not installed"; exit 1; }

# Students' programs run as other users: the rubric, the oracle and the answers are root's alone. The driver is linked to
# the student's object by such a user.
chmod -R go= "$source/course" "$source/engine/lib/warpgrade/assignments/oracle-"* "$source/settings"
"$source/engine/bin/warpgrade" --course "$source/course" doctor || true
