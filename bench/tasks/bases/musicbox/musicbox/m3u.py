from pathlib import Path

from musicbox.playlist import Playlist, Track


def read(path):
    playlist = Playlist(Path(path).stem)
    title, artist, seconds = "", "", 0
    for line in Path(path).read_text().splitlines():
        if line.startswith("#EXTINF:"):
            length, _, name = line.removeprefix("#EXTINF:").partition(",")
            artist, _, title = name.partition(" - ")
            seconds = int(length)
        elif line and not line.startswith("#"):
            playlist.add(Track(title, artist, seconds, line))
    return playlist


def write(path, playlist):
    lines = ["#EXTM3U"]
    for track in playlist.tracks:
        lines.append(f"#EXTINF:{track.seconds},{track.artist} - {track.title}")
        lines.append(track.path)
    Path(path).write_text("\n".join(lines) + "\n")
