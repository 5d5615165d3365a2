"""A debug adapter that answers by a table, for tests of the kernel's half of the debugger."""

import contextlib
import json
import socket
import threading


class Connection:
    """One connection to the kernel: a thread answers requests; `seen` has them all."""

    FRAMES = [{"id": 1, "name": "k", "line": 3, "column": 1, "source": {"name": "cell [1]", "path": "P"}}, {"id": 2, "name": "launch", "line": 0, "column": 0}]

    def __init__(self, path, silent=()):
        self.path, self.seen, self.changed, self.silent, self.closed = path, [], threading.Condition(), silent, False
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.writing = threading.Lock()
        threading.Thread(target=self.serve, daemon=True).start()

    def write(self, message):
        text = json.dumps(message).encode()
        with self.writing:
            self.socket.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))

    def event(self, name, **body):
        self.write({"type": "event", "seq": 9, "event": name, "body": body})

    def serve(self):
        stream = self.socket.makefile("rb")
        with contextlib.suppress(OSError):  # the kernel need not wait for an answer before it closes
            while header := stream.readline():
                length = int(header.split(b":")[1])
                stream.readline()
                self.answer(json.loads(stream.read(length)))
        with self.changed:
            self.closed = True
            self.changed.notify_all()

    def answer(self, request):
        command, arguments = request["command"], request["arguments"]
        with self.changed:
            self.seen.append((command, arguments))
            self.changed.notify_all()
        if command in self.silent:
            return
        body = {
            "setBreakpoints": {"breakpoints": [{"id": 7 + i, "verified": True, "line": b["line"] + 1}
                                               for i, b in enumerate(arguments.get("breakpoints", []))]},
            "stackTrace": {"stackFrames": self.FRAMES},
            "evaluate": {"result": "42", "type": "int", "variablesReference": 0},
            "variables": {"variables": [{"name": "i", "value": "5", "type": "int", "variablesReference": 0}]},
        }.get(command, {})
        fails = command == "scopes" and arguments.get("frameId") not in (1, 2)
        self.write({"type": "response", "seq": 1, "request_seq": request["seq"], "command": command, "success": not fails,
                    "body": body, **({"message": "there is no such frame"} if fails else {})})
        if command == "attach":
            self.event("initialized")

    def until(self, command, patience=240):
        """The arguments of the first request with that command, removed with all before it."""
        with self.changed:
            assert self.changed.wait_for(lambda: self.closed or any(c == command for c, _ in self.seen), patience), self.seen
            at = next((i for i, (c, _) in enumerate(self.seen) if c == command), None)
            assert at is not None, f"closed without {command}: {self.seen}"
            found = self.seen[at][1]
            del self.seen[:at + 1]
            return found

    def ended(self, patience=240):
        with self.changed:
            return self.changed.wait_for(lambda: self.closed, patience)

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
