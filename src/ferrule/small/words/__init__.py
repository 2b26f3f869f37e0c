"""What people, tools and models say: what a request wants, what output tells, what a reply holds."""
