"""What no mount can hold is put right afterwards, and nothing else is touched."""

from pathlib import Path

from ferrule.host.sandbox.watch import Watch


def test_new_things_are_taken_and_links_restored(tmp_path: Path) -> None:
    project, keep = tmp_path / "project", tmp_path / "keep"
    project.mkdir()
    keep.mkdir()
    for name in ("replaced", "removed", "same"):
        (project / name).symlink_to(f"../{name}")
    (project / "file").write_text("1")
    paths = [str(project / name) for name in ("new", "directory", "replaced", "removed", "same", "file", "never")]
    watch = Watch(paths, keep_in=keep)
    assert watch.put_right() == ()

    (project / "new").write_text("evil")
    (project / "directory/x").mkdir(parents=True)
    (project / "replaced").unlink()
    (project / "replaced").write_text("evil")
    (project / "removed").unlink()
    (project / "file").write_text("2")
    notes = watch.put_right()

    assert [note.split(" is ")[0] for note in notes] == paths[:4]
    assert notes[3] == f"{project}/removed is protected: the link to ../removed was restored."
    assert sorted(path.name for path in project.iterdir()) == ["file", "removed", "replaced", "same"]
    assert (project / "replaced").readlink() == Path("../replaced")
    assert sorted(path.name.split("-")[1] for path in keep.iterdir()) == ["directory", "new", "replaced"]
    assert watch.put_right() == ()


def test_a_directory_that_became_a_link_leads_nowhere(tmp_path: Path) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    for path in (project, home / "fish"):
        path.mkdir(parents=True)
    watch = Watch([str(project / ".config/fish")], keep_in=tmp_path)
    (project / ".config").symlink_to(home)

    assert watch.put_right() == (
        f"{project}/.config/fish is protected, but what the command did to it could not be undone: Not a directory.",
    )
    assert (home / "fish").is_dir()
