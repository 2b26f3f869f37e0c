def listing(playlist):
    lines = [f"{playlist.name} ({playlist.length()} s)"]
    for number, track in enumerate(playlist.tracks, 1):
        lines.append(f"{number:3}. {track.artist} - {track.title}")
    return "\n".join(lines)
