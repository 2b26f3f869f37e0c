say() {
    echo "$(date '+%F %T') $*" >> "$LOG_FILE"
}

cry() {
    say "ERROR: $*"
    echo "$*" | mail -s "backup failed" "$MAIL_TO"
    exit 1
}
