"""What kind of file some bytes are, by how they begin."""

_BEGINNINGS: tuple[tuple[bytes, str], ...] = (
    (b"\x7fELF", "an ELF program or library"),
    (b"MZ", "a Windows program or library"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program or library"),
    (b"\xca\xfe\xba\xbe", "a Java class or a Mach-O program"),
    (b"\0asm", "a WebAssembly module"),
    (b"PK\x03\x04", "a zip archive (or a document or package made as one)"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\0", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"!<arch>\n", "a static library or a Debian package"),
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"BM", "a BMP picture"),
    (b"II*\0", "a TIFF picture"),
    (b"MM\0*", "a TIFF picture"),
    (b"\0\0\x01\0", "an icon"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"ID3", "MP3 sound"),
    (b"OggS", "Ogg sound or video"),
    (b"fLaC", "FLAC sound"),
    (b"wOFF", "a WOFF font"),
    (b"wOF2", "a WOFF font"),
    (b"OTTO", "an OpenType font"),
    (b"\0\x01\0\0", "a TrueType font"),
    (b"\x80\x04\x95", "a Python pickle"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"PAR1", "a Parquet table"),
)
_INSIDE: tuple[tuple[int, bytes, str], ...] = (
    (4, b"ftyp", "MP4 sound or video"),
    (8, b"WEBP", "a WebP picture"),
    (8, b"WAVE", "WAV sound"),
    (8, b"AVI ", "an AVI video"),
    (257, b"ustar", "a tar archive"),
)


def kind_of(data: bytes) -> str:
    """Name the kind of a binary file, with its article."""
    for start, kind in _BEGINNINGS:
        if data.startswith(start):
            return kind
    for place, start, kind in _INSIDE:
        if data.startswith(start, place):
            return kind
    return "binary data"
