from dataclasses import dataclass, field


@dataclass
class Track:
    title: str
    artist: str
    seconds: int
    path: str = ""


@dataclass
class Playlist:
    name: str
    tracks: list = field(default_factory=list)

    def add(self, track):
        self.tracks.append(track)

    def remove_artist(self, artist):
        """Remove all tracks of an artist."""
        self.tracks = [track for track in self.tracks if track.artist != artist]

    def length(self):
        return sum(track.seconds for track in self.tracks)
