START = "hall"
ROOMS = {
    "hall": ("A cold hall with a high ceiling.", {"north": "kitchen", "east": "cellar"}),
    "kitchen": ("An old kitchen. It smells of onions.", {"south": "hall"}),
    "cellar": ("A dark cellar. Something breathes here.", {"west": "hall"}),
}


def look(room):
    text, ways = ROOMS[room]
    return f"{text} You can go {' or '.join(ways)}."


def neighbour(room, direction):
    return ROOMS[room][1].get(direction)
