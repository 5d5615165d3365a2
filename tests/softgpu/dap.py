"""A client of the Debug Adapter Protocol on a Unix socket where the debugged process connects."""
import json
import socket


class Dap:
    def __init__(self, path, patience=60):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        self.listener.settimeout(patience)
        self.patience, self.seq, self.buffer, self.events = patience, 0, b"", []

    def accept(self):
        self.peer, _ = self.listener.accept()
        self.peer.settimeout(self.patience)
        self.buffer, self.events = b"", []

    def close(self):
        self.peer.close()
        self.listener.close()

    def message(self):
        """The next message; None at the end."""
        while b"\r\n\r\n" not in self.buffer:
            data = self.peer.recv(65536)
            if not data:
                return None
            self.buffer += data
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        length = int(head.split(b":")[1])
        while len(self.buffer) < length:
            data = self.peer.recv(65536)
            if not data:
                return None
            self.buffer += data
        body, self.buffer = self.buffer[:length], self.buffer[length:]
        return json.loads(body)

    def send(self, command, **arguments):
        self.seq += 1
        body = json.dumps({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}).encode()
        self.peer.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return self.seq

    def ask(self, command, **arguments):
        """The whole response."""
        seq = self.send(command, **arguments)
        while True:
            message = self.message()
            assert message, f"the debugger ended before it answered {command}"
            if message["type"] == "response" and message["request_seq"] == seq:
                return message
            self.events.append(message)

    def get(self, command, **arguments):
        """The body of a successful response."""
        response = self.ask(command, **arguments)
        assert response["success"], response
        return response.get("body")

    def event(self, *names):
        """The next event of that name; None at the end."""
        while True:
            message = self.events.pop(0) if self.events else self.message()
            if message is None or message["event"] in names:
                return message and {"event": message["event"], **message.get("body", {})}

    def begin(self, path, breakpoints=(), **focus):
        """Accepts the debuggee, and sets breakpoints: lines, or dicts with a line."""
        self.accept()
        self.get("initialize", adapterID="softgpu")
        self.get("attach")
        lines = [b if isinstance(b, dict) else {"line": b} for b in breakpoints]
        answer = self.get("setBreakpoints", source={"path": path}, breakpoints=lines)
        if focus:
            self.get("warpbookFocus", **focus)
        self.get("configurationDone")
        return answer["breakpoints"]

    def go(self, command="continue"):
        """Continues, and waits for the next stop; None: the debuggee ended."""
        self.get(command, threadId=1)
        return self.event("stopped")

    def frames(self):
        return self.get("stackTrace", threadId=1)["stackFrames"]

    def line(self):
        return self.frames()[0]["line"]

    def scope(self, name, frame=1):
        """{variable: its message} of a scope."""
        for scope in self.get("scopes", frameId=frame)["scopes"]:
            if scope["name"] == name:
                return self.below(scope)
        raise KeyError(name)

    def below(self, node):
        found = self.get("variables", variablesReference=node["variablesReference"])["variables"]
        return {v["name"]: v for v in found}

    def value(self, expression, frame=1):
        return self.get("evaluate", expression=expression, frameId=frame)["result"]
