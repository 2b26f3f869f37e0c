"""What was allowed for one path opens that path, and none that it leads to later."""

import os
from pathlib import Path

import pytest

from ferrule.policy.paths import Places, Standing
from ferrule.policy.permit import Permit

OUTSIDE = "it lies outside the project"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    top = tmp_path.resolve()
    for name in ("proj", "home/.ssh", "out/a", "out/b"):
        (top / name).mkdir(parents=True)
    return top


@pytest.fixture
def permit(top: Path) -> Permit:
    return Permit(Places(root=top / "proj", home=top / "home"))


def test_what_is_free_needs_no_leave(permit: Permit, top: Path) -> None:
    assert permit(top / "proj" / "x", "write") is None
    assert permit(top / "out" / "x", "read") == OUTSIDE
    assert permit(top / "home" / ".ssh", "list") == "it is one of the blocked paths"


def test_leave_holds_for_one_use_and_all_below(permit: Permit, top: Path) -> None:
    permit.allow("../out/a", "read")
    assert permit(top / "out" / "a", "read") is None
    assert permit(top / "out" / "a" / "x", "read") is None
    assert permit(top / "out" / "a", "list") is None
    assert permit(top / "out" / "a" / "x", "write") == OUTSIDE
    assert permit(top / "out" / "ab", "read") == OUTSIDE
    assert permit(top / "out" / "b", "read") == OUTSIDE


def test_what_nobody_can_allow(permit: Permit, top: Path) -> None:
    for use in ("read", "list", "write"):
        permit.allow("/", use)
    assert permit(top / "out" / "x", "write") is None
    assert permit(top / "proj" / ".vscode" / "x", "write") is None
    assert permit(top / "home" / ".ssh" / "x", "read") == "it is one of the blocked paths"
    assert permit(top / "proj" / ".git" / "x", "write") is not None
    assert permit(top / "proj" / ".ferrule.json", "write") is not None


def test_a_link_that_leads_elsewhere_now(permit: Permit, top: Path) -> None:
    link = top / "proj" / "link"
    link.symlink_to("../out/a")
    assert permit(link, "read") == f"it leads to {top}/out/a, and it lies outside the project"
    permit.allow("link", "read")
    assert permit(link, "read") is None
    assert permit(Path(os.path.realpath(link)), "read") is None
    link.unlink()
    link.symlink_to("../out/b")
    assert permit(link, "read") == f"it leads to {top}/out/b, and it lies outside the project"


def test_what_was_judged_is_granted_and_not_what_became_of_it(top: Path) -> None:
    places = Places(root=top / "proj", home=top / "home")
    permit, link = Permit(places), top / "proj" / "link"
    link.symlink_to("../out/a")
    outside = places.standing("link", "read")
    free = places.standing("src", "read")
    (top / "proj" / "src").symlink_to("../out/b")
    link.unlink()
    link.symlink_to("../out/b")
    permit.grant(outside, "read")
    permit.grant(free, "read")
    assert permit(top / "out" / "a", "read") is None
    assert [permit(top / "proj" / name, "read") for name in ("link", "src")] == [
        f"it leads to {top}/out/b, and it lies outside the project"
    ] * 2


def test_a_way_out_and_back_in(top: Path) -> None:
    places = Places(root=top / "proj", home=top / "home")
    permit = Permit(places)
    (top / "out" / "back").symlink_to(top / "proj")
    (top / "proj" / "x").symlink_to("../out/back/y")
    standing = places.standing("x", "read")
    assert standing == Standing("outside", f"{top}/out/back/y", OUTSIDE, end=f"{top}/proj/y")
    permit.grant(standing, "read")
    assert permit(top / "proj" / "x", "read") is None


def test_leave_for_the_project_is_no_leave_for_its_secrets(permit: Permit, top: Path) -> None:
    permit.allow(".", "read")
    assert permit(top / "proj" / ".env", "read") == "it is likely to hold secrets"
    permit.allow(".env", "read", directory=str(top / "proj"))
    assert permit(top / "proj" / ".env", "read") is None
    assert permit(top / "proj" / ".env.local", "read") == "it is likely to hold secrets"
