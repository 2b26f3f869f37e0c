"""What people and models say: what a request wants, which files it is about, what a reply holds."""
