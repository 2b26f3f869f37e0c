#!/usr/bin/env bash
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
. "$here/conf/nightly.conf"
. "$here/lib/log.sh"
. "$here/lib/prune.sh"
. "$here/lib/mount.sh"

ensure_mounted "$TARGET"
name="home-$(date +%F).tar.gz"
say "writing $name"
tar --create --gzip --file "$TARGET/$name" --exclude-from "$here/conf/skip.txt" "$SOURCE"
prune "$TARGET"
say "done"
