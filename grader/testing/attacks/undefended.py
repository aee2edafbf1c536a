# SPDX-License-Identifier: MIT
"""Attacks tried without the sandbox, in a folder of their own, to show that they work where nothing stops them."""
import os
import secrets
import shutil
import signal
import subprocess

import attack as attacks

COMPILE_S, RUN_S = 30, 20
NOBODY = 65534
COMPILE = ["g++", "-std=c++20", "-x", "c++", "-DUNDEFENDED"]
LIMITS = ["prlimit", "--nproc=256", "--core=0", "--fsize=1048576"]


def faults(each, folder, place):
    """Why the attack was not seen to work; nothing where it was."""
    scratch = folder / "undefended" / each.name
    scratch.mkdir(parents=True)
    scratch.chmod(0o777)
    secret = "WGSECRET" + secrets.token_hex(12)
    (scratch / "expected.txt").write_text(f"#error {secret}\n", encoding="utf-8")
    (scratch / "grades.csv").write_text("ann,100\n", encoding="utf-8")
    (scratch / "grades.csv").chmod(0o666)
    marks = {**place.marks(), "SECRET_FILE": scratch / "expected.txt", "HOST_FILE": scratch / "grades.csv",
             "MARK": place.mark + each.name}
    source = scratch / "attack.cpp"
    source.write_text(attacks.expand(each.text, marks), encoding="utf-8")
    if each.undefended == "running reaches it":
        return run_faults(scratch, source)
    return compile_faults(each, scratch, source, secret)


def compile_faults(each, scratch, source, secret):
    done = subprocess.run([*COMPILE, "-c", source, "-o", scratch / "attack.o"], timeout=COMPILE_S, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = done.stdout if each.undefended == "compiling prints the secret" else b""
    if (scratch / "attack.o").exists() and each.undefended == "compiling keeps the secret":
        found = (scratch / "attack.o").read_bytes()
    return [] if secret.encode() in found else ["without the sandbox, the compiler did not give the secret away"]


def run_faults(scratch, source):
    program = scratch / "attack"
    built = subprocess.run([*COMPILE, "-pthread", source, "-o", program], timeout=COMPILE_S, check=False,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if built.returncode != 0:
        return [f"it does not compile without the sandbox: {built.stdout.decode(errors='replace')[:400]}"]
    command = [*LIMITS, program]
    if os.getuid() == 0 and shutil.which("setpriv"):
        command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *command]
    with open(scratch / "printed", "wb") as printed:
        process = subprocess.Popen(command, cwd=scratch, stdin=subprocess.DEVNULL, stdout=printed, stderr=printed,
                                   start_new_session=True, env={**os.environ, "WARPGRADE_CASE": str(scratch)})
        try:
            process.wait(RUN_S)
        except subprocess.TimeoutExpired:
            pass
        finally:
            end_session(process)
    reached = b"reached: " in (scratch / "printed").read_bytes()
    return [] if reached else ["it did not work without the sandbox either, so that it proves nothing"]


def end_session(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
