from checking import equal, function, unchanged

Playlist, Track = function("musicbox.playlist", "Playlist"), function("musicbox.playlist", "Track")
for artists, wanted in (("AABA", "B"), ("AAAA", ""), ("BAAC", "BC"), ("BC", "BC"), ("", "")):
    playlist = Playlist("p", [Track(str(number), artist, 10) for number, artist in enumerate(artists)])
    playlist.remove_artist("A")
    equal("".join(track.artist for track in playlist.tracks), wanted, f"What is left of {artists} without A")
    equal(playlist.length(), 10 * len(wanted), "How long that is")
unchanged("musicbox/playlist.py")
