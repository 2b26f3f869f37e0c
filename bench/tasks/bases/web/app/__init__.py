"""A tiny web application."""
