ensure_mounted() {
    mountpoint -q "$(dirname "$1")" || mount "$(dirname "$1")" || cry "cannot mount $1"
}
