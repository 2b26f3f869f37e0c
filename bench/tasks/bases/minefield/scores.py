from options import SCORE_FILE


def read_scores(path=SCORE_FILE):
    try:
        with open(path) as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return []
    return [(name, int(moves)) for name, moves in (line.rsplit(" ", 1) for line in lines)]


def add_score(name, moves, path=SCORE_FILE):
    scores = sorted([*read_scores(path), (name, moves)], key=lambda score: score[1])[:10]
    with open(path, "w") as file:
        file.writelines(f"{name} {moves}\n" for name, moves in scores)
