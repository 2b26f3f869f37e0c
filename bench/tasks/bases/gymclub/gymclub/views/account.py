from flask import Blueprint, redirect, render_template, request, session

from gymclub.security import verify
from gymclub.storage import member_by_email

pages = Blueprint("account", __name__)


@pages.route("/login", methods=["GET", "POST"])
def login():
    if request.method == "GET":
        return render_template("login.html")
    member = member_by_email(request.form["email"].strip().lower())
    if member is None or not member.active or not verify(request.form["password"], member.password_hash):
        return render_template("login.html", error="Wrong email or password."), 401
    session["member"] = member.email
    return redirect("/timetable")


@pages.route("/logout")
def logout():
    session.clear()
    return redirect("/")
