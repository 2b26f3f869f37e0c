from datetime import datetime

from flask import Blueprint, abort, redirect, render_template, session

from gymclub import rules

pages = Blueprint("timetable", __name__)
CLASSES = {}


@pages.route("/")
@pages.route("/timetable")
def show():
    return render_template("timetable.html", classes=CLASSES.values())


@pages.route("/cancel/<int:number>", methods=["POST"])
def cancel(number):
    gym_class = CLASSES[number]
    if not rules.may_cancel(gym_class, datetime.now()):
        abort(403)
    gym_class.booked.remove(session["member"])
    return redirect("/timetable")
