from pathlib import Path


def load(path):
    return json.loads(Path(path).read_text())


def fastest(runs):
    return min(runs, key=lambda run: run["seconds"])


def main():
    runs = load("runs.json")
    best = fastest(runs)
    print(f"{len(runs)} runs, fastest: {best['runner']} in {best['seconds']} s")


if __name__ == "__main__":
    main()
