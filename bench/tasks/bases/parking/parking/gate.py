import time


class Gate:
    def __init__(self, motor):
        self.motor = motor

    def let_through(self, seconds=12):
        self.motor.up()
        time.sleep(seconds)
        self.motor.down()
