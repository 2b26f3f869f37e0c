def table(pairs):
    """Two columns, the first as wide as it needs to be."""
    width = max(len(name) for name, _ in pairs)
    return "\n".join(f"{name:<{width}}  {value:g}" for name, value in pairs)
