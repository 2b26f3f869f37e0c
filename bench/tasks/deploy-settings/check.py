import json

from checking import same, text, unchanged

wanted = {
    "project": "site",
    "retries": 5,
    "regions": ["eu-central", "us-east", "eu-west"],
    "notify": {"channel": "#deploys", "retries": 1},
}
same(json.loads(text("settings.json")), wanted, "settings.json")
unchanged("settings.json")
