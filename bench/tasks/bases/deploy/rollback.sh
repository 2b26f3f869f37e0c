#!/bin/sh
# Goes back to the release before: rollback.sh HOST
set -eu
ssh "$1" 'cd /srv/releases && ln -sfn "$(ls -1dt site-*/ | sed -n 2p)" current'
