import os


def sweep(playlist):
    before = len(playlist.tracks)
    playlist.tracks = [track for track in playlist.tracks if os.path.isfile(track.path)]
    return before - len(playlist.tracks)
