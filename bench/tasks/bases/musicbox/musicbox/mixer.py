import random


def shuffle(playlist, rng=random):
    """Shuffle in place, so that the same artist comes twice in a row as rarely as possible."""
    rng.shuffle(playlist.tracks)
    tracks = playlist.tracks
    for i in range(1, len(tracks)):
        if tracks[i].artist == tracks[i - 1].artist:
            for j in range(i + 1, len(tracks)):
                if tracks[j].artist != tracks[i].artist:
                    tracks[i], tracks[j] = tracks[j], tracks[i]
                    break
