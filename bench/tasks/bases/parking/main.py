from datetime import datetime

from parking.garage import Garage


def main():
    garage = Garage(capacity=120)
    while True:
        words = input("in PLATE | out PLATE > ").split()
        if len(words) != 2:
            break
        what, plate = words
        if what == "in":
            print("welcome" if garage.enter(plate, datetime.now()) else "sorry, we are full")
        else:
            print(f"please pay {garage.leave(plate, datetime.now()) / 100:.2f}")


if __name__ == "__main__":
    main()
