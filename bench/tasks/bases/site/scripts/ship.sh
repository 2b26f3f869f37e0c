#!/bin/sh
set -e
. ./site.conf
rsync -az --delete "$OUT/" "$TARGET/"
