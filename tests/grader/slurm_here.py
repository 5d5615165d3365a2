"""A Slurm of two nodes on this machine: munged, slurmctld and two slurmd of Debian's slurm-wlm, all state in one folder and all
processes ended with it. As root alone, which slurmd asks for."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from ports import free_ports  # noqa: E402

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scontrol")
CONF = """ClusterName=warpbook
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/ctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/ctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=10
JobRequeue=1
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=1 RealMemory=4000
NodeName=node2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=1 RealMemory=4000
PartitionName=all Nodes=node1,node2 Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """Why there can be none here; or None."""
    lacking = [name for name in NEEDED if not shutil.which(name, path=f"/usr/sbin:{os.environ['PATH']}")]
    if lacking:
        return f"{', '.join(lacking)} of slurm-wlm and munge: not on this machine"
    return None if os.geteuid() == 0 else "slurmd runs as root alone"


class Slurm:
    def __init__(self, folder):
        self.folder, self.processes = Path(folder), {}
        os.chmod(folder, 0o755)
        (self.folder / "state").mkdir()
        (self.folder / "munge.key").write_bytes(os.urandom(1024))
        os.chmod(self.folder / "munge.key", 0o400)
        (self.folder / "slurm.conf").write_text(CONF.format(host=socket.gethostname(), ports=free_ports(3), folder=folder))
        self.env = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": f"/usr/sbin:{os.environ['PATH']}"}
        self.start("munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={folder}/munge.key",
                   f"--pid-file={folder}/munge.pid", f"--seed-file={folder}/munge.seed", f"--log-file={folder}/munge.log")
        self.start("slurmctld", "-D", "-i")
        for node in ("node1", "node2"):
            self.start("slurmd", "-D", "-N", node, name=node)
        for _ in range(600):
            said = self.ask("sinfo", "-h", "-N", "-o", "%T")
            if said.split() == ["idle", "idle"]:
                return
            time.sleep(0.2)
        logs = "\n".join(p.read_text()[-2000:] for p in self.folder.glob("*.log"))
        self.end()
        raise RuntimeError(f"the nodes do not come up: {said}\n{logs}")

    def start(self, program, *args, name=None):
        self.processes[name or program] = subprocess.Popen(
            [shutil.which(program, path=self.env["PATH"]), *args], env=self.env, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=(self.folder / f"{name or program}.log").open("a"), start_new_session=True)

    def ask(self, *command):
        done = subprocess.run(command, env=self.env, capture_output=True, text=True)
        return done.stdout

    def tasks_of(self, node):
        """The ids of array tasks that run there."""
        return self.ask("squeue", "-h", "-t", "R", "-w", node, "-o", "%K").split()

    def kill_node(self, node):
        """As where its power fails: the daemon, and all that runs of its tasks."""
        self.processes[node].kill()
        self.processes[node].wait()
        for pid in steps_of(self.folder / f"spool.{node}"):
            kill_tree(pid)

    def end(self):
        for name in ("node1", "node2", "slurmctld", "munged"):
            process = self.processes.get(name)
            if process and process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        for node in ("node1", "node2"):
            for pid in steps_of(self.folder / f"spool.{node}"):
                kill_tree(pid)


def children():
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    return found


def steps_of(spool):
    """slurmstepd's processes: each has its socket in the node's folder, node_JOB.STEP, and says so in its name."""
    jobs = {p.name.rpartition("_")[2].split(".")[0] for p in Path(spool).glob("*_*.*")}
    pids = []
    for cmdline in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = cmdline.read_bytes().decode(errors="replace")
        except OSError:
            continue
        if words.startswith("slurmstepd: [") and words.split("[")[1].split(".")[0] in jobs:
            pids.append(int(cmdline.parent.name))
    return pids


def kill_tree(pid):
    below, doomed = children(), [pid]
    for p in doomed:
        doomed += below.get(p, [])
    for p in doomed:
        try:
            os.kill(p, signal.SIGKILL)
        except ProcessLookupError:
            pass
