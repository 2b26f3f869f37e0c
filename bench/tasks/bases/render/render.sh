#!/bin/bash
set -e
scene="$1"
cp "$scene" work.tmp
povray +Iwork.tmp +O"${scene%.pov}.png"
