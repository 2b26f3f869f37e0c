from flask import Flask

from gymclub import config
from gymclub.views import account, timetable


def create_app():
    app = Flask(__name__, template_folder="templates")
    app.secret_key = config.SECRET
    for module in (account, timetable):
        app.register_blueprint(module.pages)
    return app


if __name__ == "__main__":
    create_app().run(host=config.HOST, port=config.PORT, debug=config.DEBUG)
