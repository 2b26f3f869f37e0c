from dungeon.player import Player
from dungeon.rooms import START, look, neighbour
from dungeon.words import understand


def main():
    player = Player("Hero")
    room = START
    print(look(room))
    while True:
        try:
            line = input("> ")
        except EOFError:
            break
        verb, noun = understand(line)
        if verb == "quit":
            print("Bye.")
            break
        if verb == "go":
            following = neighbour(room, noun)
            if following is None:
                print("There is a wall.")
            else:
                room = following
                print(look(room))
        elif verb == "look":
            print(look(room))
        elif verb == "health":
            print(f"You have {player.health} health.")
        else:
            print("I don't understand.")


if __name__ == "__main__":
    main()
