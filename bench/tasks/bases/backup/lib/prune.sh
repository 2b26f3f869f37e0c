prune() {
    find "$1" -name 'home-*.tar.gz' -mtime "+$RETAIN" -delete
}
