WIDTH = 50


def bars(counts):
    most = max(counts.values(), default=1)
    lines = []
    for hour in range(24):
        lines.append(f"{hour:02} {'#' * (counts.get(hour, 0) * WIDTH // most)}")
    return "\n".join(lines)
