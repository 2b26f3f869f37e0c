#!/bin/sh
. ./site.conf
mkdir -p "$OUT/img"
for photo in photos/*.jpg; do
    convert "$photo" -resize 400x "$OUT/img/$(basename "$photo")"
done
