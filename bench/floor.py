"""The floor: the least that an agent in Python can be. Standard library, one tool, no care for anything."""

import json
import os
import subprocess
import sys
import urllib.request

TOOL = {
    "name": "bash",
    "description": "Run a shell command.",
    "input_schema": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
}


def ask(messages):
    body = {"model": "floor", "max_tokens": 1000, "stream": True, "tools": [TOOL], "messages": messages}
    headers = {"content-type": "application/json", "x-api-key": os.environ["KEY"], "anthropic-version": "2023-06-01"}
    request = urllib.request.Request(sys.argv[1] + "/v1/messages", json.dumps(body).encode(), headers)
    blocks = {}
    with urllib.request.urlopen(request) as response:
        for line in response:
            if not line.startswith(b"data:"):
                continue
            event = json.loads(line[5:])
            if event["type"] == "content_block_start":
                blocks[event["index"]] = {**event["content_block"], "json": ""}
            elif event["type"] == "content_block_delta":
                block, delta = blocks[event["index"]], event["delta"]
                block["text"] = block.get("text", "") + delta.get("text", "")
                block["json"] += delta.get("partial_json", "")
    return blocks.values()


messages = [{"role": "user", "content": sys.argv[2]}]
while True:
    answer, results = [], []
    for block in ask(messages):
        if block["type"] == "text":
            answer.append({"type": "text", "text": block["text"]})
            print(block["text"])
        elif block["type"] == "tool_use":
            call = json.loads(block["json"] or "{}")
            answer.append({"type": "tool_use", "id": block["id"], "name": block["name"], "input": call})
            ran = subprocess.run(call["command"], shell=True, capture_output=True, text=True)
            results.append({"type": "tool_result", "tool_use_id": block["id"], "content": ran.stdout + ran.stderr})
    messages.append({"role": "assistant", "content": answer})
    if not results:
        break
    messages.append({"role": "user", "content": results})
