import random


def hint(secret, guess):
    if guess < secret:
        return "higher"
    elif guess > secret
        return "lower"
    return "correct"


def main():
    secret = random.randint(1, 100)
    tries = 0
    while True:
        tries += 1
        answer = hint(secret, int(input("Your guess: ")))
        print(answer)
        if answer == "correct":
            print(f"You needed {tries} tries.")
            break


if __name__ == "__main__":
    main()
