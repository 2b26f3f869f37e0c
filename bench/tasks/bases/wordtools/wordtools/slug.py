def slugify(title):
    """A title as it may stand in a web address: "My first post" becomes "my-first-post"."""
    return "-".join(title.lower().split())
