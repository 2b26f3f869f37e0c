#!/bin/sh
# Puts a release on a server: deploy.sh HOST VERSION
set -eu
host="$1"
version="$2"
scp "build/site-$version.tar.gz" "$host:/srv/releases/"
ssh "$host" "cd /srv/releases && tar xzf site-$version.tar.gz && ln -sfn site-$version current"
sh scripts/tidy.sh "$host"
