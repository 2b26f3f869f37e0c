#!/bin/sh
. ./site.conf
grep -oh 'href="[^"]*"' "$OUT"/*.html | sort -u | while read -r link; do
    echo "$link"
done
