"""A Jupyter client on bare ZeroMQ sockets: it can say what no well-behaved client says."""

import hashlib
import hmac
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from datetime import datetime, timezone
from pathlib import Path

import zmq

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from ports import free_ports  # noqa: E402

BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve()
MOCK = BUILD / "tests" / "mock" / "bin" / "warpbook"
REAL = BUILD / "bin" / "warpbook"
DELIMITER = b"<IDS|MSG>"
PATIENCE = 240.0  # seconds for what must come: a machine may be slow, and busy with other things


class Kernel:
    """A kernel process and the file that says how to reach it."""

    def __init__(self, argv=None, env=None, key="a-key", **fields):
        self.folder = tempfile.TemporaryDirectory(prefix="warpbook-test-")
        self.file = Path(self.folder.name) / "connection.json"
        names = ["shell_port", "iopub_port", "stdin_port", "control_port", "hb_port"]
        self.info = {**dict(zip(names, free_ports(5))), "transport": "tcp", "ip": "127.0.0.1", "key": key,
                     "signature_scheme": "hmac-sha256", "kernel_name": "warpbook", **fields}
        self.file.write_text(json.dumps(self.info))
        self.stderr = open(Path(self.folder.name) / "stderr", "w+b")
        environment = {**os.environ, "WARPBOOK_HISTORY": ":memory:",
                       "JPY_PARENT_PID": str(os.getpid()),  # as jupyter_client does
                       **({} if argv else {"XDG_CACHE_HOME": self.folder.name}), **(env or {})}
        if argv is None and os.environ.get("NVCC"):
            environment.setdefault("WARPBOOK_NVCC", os.environ["NVCC"])  # the mock lies beside no toolkit's note
        if argv is None:
            environment.setdefault("WARPBOOK_CLANGD", "/none")  # the mock answers by its own lists
        argv = argv or [str(MOCK), "kernel", "-f"]
        self.process = subprocess.Popen([*argv, str(self.file)], env=environment,
                                        stdout=subprocess.DEVNULL, stderr=self.stderr,
                                        start_new_session=True)

    def log(self):
        self.stderr.flush()
        return (Path(self.folder.name) / "stderr").read_text()

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)
        self.stderr.close()
        self.folder.cleanup()


class Client:
    """One client of a kernel: five sockets, a session of its own."""

    def __init__(self, kernel, subscribe=b"", curve=None):
        self.kernel, self.info, self.key = kernel, kernel.info, kernel.info["key"].encode()
        self.context = zmq.Context()
        self.session = uuid.uuid4().hex
        self.shell = self._socket(zmq.DEALER, "shell_port", curve)
        self.control = self._socket(zmq.DEALER, "control_port", curve)
        self.stdin = self._socket(zmq.DEALER, "stdin_port", curve)
        self.hb = self._socket(zmq.REQ, "hb_port", curve)
        self.iopub = self._socket(zmq.SUB, "iopub_port", curve, subscribe)

    def _socket(self, kind, port, curve, subscribe=None):
        s = self.context.socket(kind)
        s.linger = 0
        s.reconnect_ivl = 1  # a kernel that is just starting is found at once
        s.identity = self.session.encode()
        if curve:
            s.curve_publickey, s.curve_secretkey = zmq.curve_keypair()
            s.curve_serverkey = curve
        if subscribe is not None:
            s.rcvhwm = 0
            s.subscribe(subscribe)
        s.connect(f"tcp://127.0.0.1:{self.info[port]}")
        return s

    def close(self):
        self.context.destroy(0)

    # ---- messages ----

    def sign(self, parts):
        if not self.key:
            return b""
        return hmac.new(self.key, b"".join(parts), hashlib.sha256).hexdigest().encode()

    def header(self, kind):
        return {"msg_id": uuid.uuid4().hex, "msg_type": kind, "session": self.session,
                "username": "test", "version": "5.3",
                "date": datetime.now(timezone.utc).isoformat()}

    def frames(self, kind, content, parent=None, header=None, metadata=None):
        header = header or self.header(kind)
        parts = [json.dumps(p).encode() for p in (header, parent or {}, metadata or {}, content)]
        return header["msg_id"], [DELIMITER, self.sign(parts), *parts]

    def send(self, sock, kind, content=None, **more):
        msg_id, frames = self.frames(kind, content or {}, **more)
        sock.send_multipart(frames)
        return msg_id

    def receive(self, sock, timeout=PATIENCE):
        """The next message of a socket, its signature checked, or None."""
        if not sock.poll(int(timeout * 1000)):
            return None
        frames = sock.recv_multipart()
        at = frames.index(DELIMITER)
        assert frames[at + 1] == self.sign(frames[at + 2:at + 6]), "the kernel's signature is wrong"
        header, parent, metadata, content = (json.loads(f) for f in frames[at + 2:at + 6])
        return {"type": header["msg_type"], "header": header, "parent": parent,
                "metadata": metadata, "content": content, "topic": frames[:at]}

    def reply_to(self, sock, msg_id, timeout=PATIENCE):
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            m = self.receive(sock, left)
            if m and m["parent"].get("msg_id") == msg_id:
                return m
        raise TimeoutError(f"no reply to {msg_id}")

    def outputs_of(self, msg_id, timeout=PATIENCE):
        """The IOPub messages of a request up to its idle, which is the last."""
        end, found = time.monotonic() + timeout, []
        while (left := end - time.monotonic()) > 0:
            m = self.receive(self.iopub, left)
            if not m or m["parent"].get("msg_id") != msg_id:
                continue
            found.append(m)
            if m["type"] == "status" and m["content"]["execution_state"] == "idle":
                return found
        raise TimeoutError(f"no idle for {msg_id}; got {[m['type'] for m in found]}")

    def until(self, kind, msg_id=None, timeout=PATIENCE):
        """The next IOPub message of this type; what comes before it is dropped."""
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            m = self.receive(self.iopub, left)
            if m and m["type"] == kind and msg_id in (None, m["parent"].get("msg_id")):
                return m
        raise TimeoutError(f"no {kind}")

    def begin(self, code, **fields):
        """Sends a cell whose first output says that it runs: its id, once that has come."""
        msg_id = self.send(self.shell, "execute_request", {"code": code, **fields})
        self.until("stream", msg_id)
        return msg_id

    def ask(self, kind, content=None, sock=None, timeout=PATIENCE, metadata=None):
        """A request's reply content, its IOPub messages read."""
        msg_id = self.send(sock or self.shell, kind, content, metadata=metadata)
        reply = self.reply_to(sock or self.shell, msg_id, timeout)
        return reply["content"], self.outputs_of(msg_id, timeout)

    def execute(self, code, timeout=PATIENCE, cell=None, **fields):
        """cell: what JupyterLab calls the cell."""
        content = dict(code=code, silent=False, store_history=True, user_expressions={},
                       allow_stdin=False, stop_on_error=True)
        return self.ask("execute_request", {**content, **fields}, timeout=timeout,
                        metadata={"cellId": cell} if cell else None)

    def ready(self, timeout=PATIENCE):
        """Waits until the kernel answers and this client's subscription has come through."""
        try:
            self.welcome(timeout)
            return self.ask("kernel_info_request", timeout=timeout)[0]
        except BaseException:
            self.close()  # or the process would wait at its end for what was never sent
            raise

    def welcome(self, timeout):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            message = self.receive(self.iopub, 1)
            if message and message["type"] == "iopub_welcome":
                return
            assert message or self.kernel.process.poll() is None, f"the kernel has ended: {self.kernel.log()}"
        raise TimeoutError("no iopub_welcome")


def alive(pid):
    """Whether a process runs; one that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def gone(pid, within=PATIENCE):
    end = time.monotonic() + within
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid)


def streams(outputs, name="stdout"):
    return "".join(m["content"]["text"] for m in outputs
                   if m["type"] == "stream" and m["content"]["name"] == name)


def types(outputs):
    return [m["type"] for m in outputs]
