#!/bin/sh
# Turns every page into HTML.
. ./site.conf
mkdir -p "$OUT"
for page in pages/*.md; do
    name=$(basename "$page" .md)
    { echo "<title>$TITLE</title>"; pandoc "$page"; } > "$OUT/$name.html"
done
