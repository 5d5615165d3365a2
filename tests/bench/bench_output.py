#!/usr/bin/env python3
"""A cell that prints 100 MB, one that never stops printing, and one that runs again.

Every byte below the cap must reach the client and every byte above it the file the cell names; an
interrupt must be answered while the flood goes on. Exit status 1 when a byte is missing or an
interrupt takes longer than a second.
"""

import re
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
from figures import finish, line, options  # noqa: E402
from raw_client import REAL, Client, Kernel, streams  # noqa: E402

CAP, LINES, INTERRUPTS, SLOWEST_S, RUNS_AGAIN = 8 << 20, 1_562_500, 5, 1.0, 5
PRINT = ('#include <cstdio>\nfor (long i = 0; i < %d; i++) printf("%%063ld\\n", i);' % LINES)
FOREVER = 'for (;;) puts("one more line of a flood that does not end by itself");'


def flood(client):
    began = time.perf_counter()
    content, outputs = client.execute(PRINT, timeout=300)
    seconds = time.perf_counter() - began
    assert content["status"] == "ok", content
    text = streams(outputs)
    wanted = "".join(f"{i:063d}\n" for i in range(LINES)).encode()
    path = re.search(r"goes to (\S+\.txt)", text).group(1)
    kept = Path(path).read_bytes()
    lost = len(wanted) - CAP - len(kept)
    whole = text[:CAP].encode() + kept == wanted
    return {"printed_mb": len(wanted) / 1e6, "seconds": seconds, "mb_per_s": len(wanted) / 1e6 / seconds,
            "messages": sum(m["type"] == "stream" for m in outputs), "bytes_lost": lost, "intact": whole}


def interrupt(client):
    msg_id = client.send(client.shell, "execute_request", {"code": FOREVER})
    while (m := client.receive(client.iopub, 60)) and m["type"] != "stream":
        pass
    time.sleep(0.5)
    began = time.perf_counter()
    client.send(client.control, "interrupt_request")
    content = client.reply_to(client.shell, msg_id, 30)["content"]
    took = time.perf_counter() - began
    assert content["status"] == "error", content
    client.outputs_of(msg_id, 60)
    return took


def again(client):
    """One cell for the first time, and five times more: milliseconds, the median of the later ones."""
    code = ('#include <cstdio>\n__global__ void k(int *p) { *p = threadIdx.x; }\nint *p;\ncudaMalloc(&p, 4);\n'
            'k<<<1, 32>>>(p);\ncudaDeviceSynchronize();\nprintf("done\\n");')
    times = []
    for _ in range(1 + RUNS_AGAIN):
        began = time.perf_counter()
        content, _ = client.execute(code, timeout=60)
        times.append((time.perf_counter() - began) * 1e3)
        assert content["status"] == "ok", content
    return times[0], statistics.median(times[1:])


def main():
    arguments = options(__doc__).parse_args()
    kernel = Kernel(argv=[str(REAL), "kernel", "-f"], env={"WARPBOOK_DEVICE": "soft"})
    client = Client(kernel)
    client.ready()
    row = flood(client)
    times = [interrupt(client) for _ in range(INTERRUPTS)]
    row.update(interrupts=INTERRUPTS, interrupt_ms=statistics.median(times) * 1e3,
               slowest_interrupt_ms=max(times) * 1e3)
    row["first_ms"], row["again_ms"] = again(client)
    status = Path(f"/proc/{kernel.process.pid}/status").read_text()
    row["kernel_peak_mb"] = int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024
    client.close()
    kernel.close()
    for name, value in row.items():
        print(f"  {name:22} {value:12.3f}" if isinstance(value, float) else f"  {name:22} {value!s:>12}")
    finish(arguments.json, "a cell that prints 100 MB", [row],
           [line("bytes lost of 100 MB printed", abs(row["bytes_lost"]) + (not row["intact"]), 0),
            line("the slowest interrupt of an endless cell, s", max(times), SLOWEST_S)])


if __name__ == "__main__":
    main()
