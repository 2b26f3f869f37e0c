#!/bin/sh
# Keeps the newest releases of a server, and removes the others.
set -eu
KEEP=5
ssh "$1" "cd /srv/releases && ls -1dt site-*/ | tail -n +$((KEEP + 1)) | xargs -r rm -rf"
