"""JupyterLab's half of the debugger: the requests that it sends, in its order."""

import time

from fake_engine import Connection
from raw_client import streams


class Lab:
    """Sends and hears what JupyterLab does."""

    def __init__(self, client):
        self.client, self.seq = client, 100

    def ask(self, command, **arguments):
        self.seq += 1
        content = {"type": "request", "seq": self.seq, "command": command, "arguments": arguments}
        msg_id = self.client.send(self.client.control, "debug_request", content)
        reply = self.client.reply_to(self.client.control, msg_id)["content"]
        assert (reply["type"], reply["request_seq"], reply["command"]) == ("response", self.seq, command)
        assert reply["success"] == ("message" not in reply)
        return reply

    def event(self, name):
        content = self.client.until("debug_event")["content"]
        assert content["type"] == "event" and content["event"] == name, content
        return content["body"]

    def begin(self):
        assert self.ask("initialize", clientID="jupyterlab")["success"]
        assert self.ask("attach")["success"]
        self.event("initialized")

    def dump(self, code):
        return self.ask("dumpCell", code=code)["body"]["sourcePath"]

    def set(self, path, *lines):
        return self.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": n} for n in lines])["body"]["breakpoints"]

    def socket(self):
        return streams(self.client.execute("debug")[1]).strip()

    def engine(self, **more):
        engine = Connection(self.socket(), **more)
        engine.until("configurationDone")
        self.until_ready()
        return engine

    def until_ready(self):
        while not self.ask("evaluate", expression="1")["success"]:
            time.sleep(0.01)
