# SPDX-License-Identifier: MIT
"""A Slurm cluster of one node on the loopback interface, with daemons and a folder of its own."""

import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

DAEMONS = {"munged": "munge", "slurmctld": "slurm-wlm", "slurmd": "slurm-wlm", "sbatch": "slurm-wlm"}
LONGEST_START_S = 60
PR_SET_PDEATHSIG = 1

CONFIGURATION = """
ClusterName=warpgrade
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort={controller_port}
SlurmdPort={node_port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
MailProg=/bin/true
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1,sched_min_interval=1000
NodeName=localhost NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE State=UP
"""


def why_not():
    """Why no cluster can be started here; empty where one can."""
    missing = sorted({package for program, package in DAEMONS.items() if not shutil.which(program, path=search_path())})
    if missing:
        return f"not installed: {' '.join(missing)} (apt-get install --no-install-recommends slurm-wlm munge)"
    return "" if os.geteuid() == 0 else "Slurm's daemons start tasks as other users, which takes root"


def search_path():
    return os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def end_with_parent():
    """In a child process: a test that is killed leaves no daemon behind."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Cluster:
    """Started by `with`; at its end no process of it is left."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.configuration = self.folder / "slurm.conf"
        self.environment = dict(os.environ, PATH=search_path(), SLURM_CONF=str(self.configuration))
        self.daemons = {}

    def __enter__(self):
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        controller_port, node_port = free_ports(2)
        self.configuration.write_text(CONFIGURATION.format(folder=self.folder, controller_port=controller_port,
                                                           node_port=node_port, cpus=os.cpu_count()))
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        try:
            self.start("munged")
            self.start("slurmctld")
            self.start("slurmd")
            self.wait_until_idle()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def command(self, daemon):
        at = self.folder
        return {"munged": ["munged", "--foreground", "--force", f"--socket={at}/munge.socket", f"--key-file={at}/munge.key",
                           f"--pid-file={at}/munged.pid", f"--log-file={at}/munged.log", f"--seed-file={at}/munged.seed"],
                "slurmctld": ["slurmctld", "-D", "-f", str(self.configuration)],
                "slurmd": ["slurmd", "-D", "-f", str(self.configuration), "-N", "localhost"]}[daemon]

    def start(self, daemon):
        with open(self.folder / f"{daemon}.out", "a") as out:
            self.daemons[daemon] = subprocess.Popen(self.command(daemon), stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                                    env=self.environment, preexec_fn=end_with_parent)

    def kill(self, daemon):
        """As a power cut ends it, and starts it again."""
        self.daemons[daemon].kill()
        self.daemons[daemon].wait()
        self.start(daemon)

    def ask(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False).stdout

    def wait_until_idle(self):
        end = time.monotonic() + LONGEST_START_S
        while "idle" not in self.ask("sinfo", "--noheader", "--format=%t"):
            ended = [name for name, process in self.daemons.items() if process.poll() is not None]
            if ended or time.monotonic() > end:
                raise RuntimeError(f"the cluster does not start (ended: {ended}):\n{self.logs()}")
            time.sleep(0.2)

    def logs(self):
        return "\n".join(f"--- {path.name}\n{path.read_text(errors='replace')[-3000:]}"
                         for path in sorted(self.folder.glob("*.out")) + sorted(self.folder.glob("*.log")))

    def processes(self, setting=""):
        """Ids of the cluster's processes; with a setting NAME=VALUE, of those that have it in their environment."""
        wanted = {f"SLURM_CONF={self.configuration}".encode(), setting.encode()} - {b""}
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if wanted <= set((folder / "environ").read_bytes().split(b"\0")):
                    found.append(int(folder.name))
            except OSError:
                pass
        return [each for each in found if each != os.getpid()]

    def kill_task(self, number):
        """Kills what a task of a job array runs; whether there was anything."""
        processes = self.processes(f"SLURM_ARRAY_TASK_ID={number}")
        for each in processes:
            end_process(each)
        return bool(processes)

    def stop(self):
        self.ask("scancel", "--user=root")
        for daemon in ("slurmd", "slurmctld", "munged"):
            if daemon in self.daemons:
                self.daemons[daemon].kill()
                self.daemons[daemon].wait()
        while left := self.processes():
            for each in left:
                end_process(each)
            time.sleep(0.1)


def end_process(number):
    try:
        os.kill(number, signal.SIGKILL)
    except ProcessLookupError:
        pass
