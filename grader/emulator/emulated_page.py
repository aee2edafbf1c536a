#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/emulated.md from the tables of the emulated device, or compares it with them.

usage: emulated_page.py ROOT LIBCUDART [--check]
"""
import collections
import pathlib
import re
import subprocess
import sys

# The opcodes of PTX ISA 9.0, table of contents of section 9.7, by chapter.
ISA = {
    "Integer arithmetic":
        "add sub mul mad mul24 mad24 sad div rem abs neg min max popc clz bfind fns brev bfe bfi bmsk szext dp4a dp2a "
        "addc subc madc",
    "Floating point and half precision":
        "testp copysign fma rcp sqrt rsqrt sin cos lg2 ex2 tanh",
    "Comparison and selection": "set setp selp slct",
    "Logic and shift": "and or xor not cnot lop3 shf shl shr",
    "Data movement and conversion":
        "mov shfl prmt ld ldu st multimem prefetch prefetchu applypriority discard createpolicy isspacep cvta cvt mapa "
        "getctarank cp",
    "Textures and surfaces": "tex tld4 txq istypep suld sust sured suq",
    "Control flow": "bra brx call ret exit",
    "Synchronisation and communication":
        "bar barrier membar fence atom red vote match activemask redux griddepcontrol elect mbarrier tensormap "
        "clusterlaunchcontrol",
    "Matrices": "wmma mma ldmatrix stmatrix movmatrix wgmma tcgen05",
    "Stack": "stacksave stackrestore alloca",
    "Video":
        "vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 "
        "vavrg4 vabsdiff4 vmin4 vmax4 vset4",
    "Miscellaneous": "brkpt nanosleep pmevent trap setmaxnreg",
}
# Words of the runtime's names to its chapters; the first that fits counts.
GROUPS = [
    ("Graphs and capture", "Graph|Capture|UserObject"),
    ("Textures, surfaces, arrays", "Texture|Surface|Array|Mipmap"),
    ("Interoperation", "External|Import|Ipc|GL|EGL|D3D|VDPAU|Graphics|Nvsci"),
    ("Streams and events", "Stream|Event|LaunchHostFunc"),
    ("Memory", "Mem|Malloc|Free|Host|Pointer|Symbol|Pitch|ThreadExchange"),
    ("Kernels and occupancy", "Launch|Func|Occupancy|Kernel|Library|CallConfiguration|EntryPoint"),
    ("Devices and errors", "."),
]


def braces(text, start):
    """What stands between the first { behind `start` and its }."""
    begin = text.index("{", text.index(start) + len(start))
    depth = 0
    for at in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[begin:at + 1]
    raise ValueError(f"{start} has no end")


def opcodes(emulator):
    """Opcode -> refused modifiers, from the tables of exec/ops/."""
    known = {}
    for path in sorted((emulator / "exec/ops").glob("*.cpp")):
        text = path.read_text(encoding="utf-8")
        if "OpRow kRows[]" not in text:
            continue
        for name, decode in re.findall(r'\{"([a-z0-9]+)",\s*(\w+)', braces(text, "OpRow kRows[]")):
            known[name] = refused(text, decode)
    return known


def refused(text, decode):
    """Modifiers that the function `decode` of a source demands to be absent."""
    found = re.search(rf"^(?:template [^\n]*\n)?void {decode}\(", text, re.M)
    demands = re.findall(r"\brequire\(([^;]*);", braces(text, found.group(0))) if found else []
    return sorted(set(re.findall(r'!from\.has\("([^"]+)"\)', " ".join(demands))))


def stated(emulator):
    """Opcode -> lines of testdata/*.ptx that state operands and results."""
    lines = collections.Counter()
    for path in sorted((emulator / "testdata").glob("*.ptx")):
        for line in path.read_text(encoding="utf-8").splitlines():
            code = line.split("//")[0]
            lines.update(set(re.findall(r"(?:^|[;{}]|@!?\w+)\s*([a-z][a-z0-9]*)[.\s;]", code)))
    return lines


def exports(library):
    text = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    names = {line.split()[-1].split("@")[0] for line in text.splitlines()}
    return {name for name in names if name.startswith(("cuda", "__cuda"))}


def opcode_chapters(emulator):
    known, tests = opcodes(emulator), stated(emulator)
    listed = {name for names in ISA.values() for name in names.split()}
    yield f"{len(known)} of the opcodes of PTX ISA 9.0 are emulated. A number says on how many lines of"
    yield "`grader/emulator/testdata/` the opcode's results are stated; after *not* stand modifiers that it refuses in some form."
    yield "Any form that is refused ends the launch with the finding \"... is not emulated\" at its line, when it runs."
    for chapter, names in list(ISA.items()) + [("Others", " ".join(sorted(set(known) - listed)))]:
        here = [name for name in names.split() if name in known]
        missing = [name for name in names.split() if name not in known]
        if not here and not missing:
            continue
        yield ""
        yield f"**{chapter}**"
        if here:
            yield "- Emulated: " + ", ".join(
                f"`{name}` {tests[name] or ''}".strip() +
                (f" (not {', '.join('.' + m for m in known[name])})" if known[name] else "") for name in here) + "."
        if missing:
            yield "- Not emulated: " + ", ".join(f"`{name}`" for name in missing) + "."
        if chapter == "Video":
            yield "- Not emulated: selectors of bytes and halves, as `.b1` and `.h10`."


def specials(emulator):
    text = (emulator / "exec/decoder.cpp").read_text(encoding="utf-8")
    move = (emulator / "exec/ops/move.cpp").read_text(encoding="utf-8")
    names = re.findall(r'\{"(%[\w.]+)"', braces(text, "kSpecialNames[]")) + re.findall(r'"(%\w+)"', move)
    return sorted(set(names))


def directives(emulator):
    words = set()
    for name in ["parser.cpp", "statements.cpp", "variables.cpp", "parsing.h"]:
        words |= set(re.findall(r'"(\.[a-z_]\w+)"', (emulator / "ptx" / name).read_text(encoding="utf-8")))
    return sorted(words)


def devices(emulator):
    text = (emulator / "model/device_table.cpp").read_text(encoding="utf-8")
    rows = re.findall(r'\{"([^"]+)",\s*"([^"]+)",\s*(\d+), (\d+), (\d+)u,\s*(\d+),', text)
    yield "| `--device` | as it calls itself | compute capability | memory, GiB | SMs |"
    yield "|---|---|---|---|---|"
    for name, product, major, minor, memory, sms in rows:
        yield f"| {name} | {product} | {major}.{minor} | {int(memory) / 2**30:.1f} | {sms} |"


def calls(emulator, library):
    text = (emulator.parent / "cudart/unsupported.inc").read_text(encoding="utf-8")
    missing = set(re.findall(r"^WARPGRADE_UNSUPPORTED\((\w+)\)", text, re.M))
    emulated = exports(library) - missing

    def plain(names):
        return {re.sub(r"_pt(ds|sz)$", "", name) for name in names if not name.startswith("__")}

    here, gone = plain(emulated), plain(missing) - plain(emulated)
    yield f"{len(here)} calls are emulated, {len(gone)} return `cudaErrorNotSupported` and say so once on stderr."
    for title, pattern in GROUPS:
        ours = sorted(name for name in here if re.search(pattern, name))
        theirs = sorted(name for name in gone if re.search(pattern, name))
        here, gone = here - set(ours), gone - set(theirs)
        yield ""
        yield f"**{title}**"
        if ours:
            yield "- Emulated: " + ", ".join(f"`{name}`" for name in ours) + "."
        if theirs:
            yield "- Not emulated: " + ", ".join(f"`{name}`" for name in theirs) + "."


def builtins(emulator):
    text = (emulator / "exec/builtins.cpp").read_text(encoding="utf-8")
    return re.findall(r'name == "(\w+)"', braces(text, "Builtin builtin_named"))


JUDGEMENTS = """\
## Where the checkers draw the line

**Undefined values.** A value that nothing has written is found where it decides something: a branch, an
address, a store to global or shared memory, an atomic, a barrier, a vote, a call of `printf` and its like.
The finding names the line of the load. A function that is called hands such a value on. A value that is
loaded and dropped is none: compilers load early and choose later, and CUB's merge sort loads one key past
its tile. A kernel may copy a structure with a member that was never set, and it may set a bit-field in a word
that nothing has written. The same holds for what a shuffle gets from a lane that its mask does not name or
that has ended; such a lane gives a NaN (0xFFDEFFDE) and not a plausible number.

**Loads that the source asks of some threads.** Compilers turn `t == 0 && s[0] > 0` into a load by all threads and a
choice. A thread that drops what it loaded has not read it, where conditions decide so that the thread can compute when it
loads. Such conditions may be computed behind the load, up to eight instructions of them.

**Locks.** The race checker takes an atomic operation that got a lock for ordered. With `fences` it asks for what CUDA
demands: `__threadfence()` behind the lock's start. A fence before the lock's end is always asked for, of `volatile` data,
too. `__threadfence_block()` orders no other block.

**Volatile values.** Volatile and relaxed accesses do not race with each other, but a load may get an old value. Where another
block stores a `float` or `double` so, nothing orders the store before the load, and the kernel computes with the value without
comparing it, that is a race. The sum that a last block makes of the blocks' `volatile` sums needs `__threadfence()` between each
store and the ticket. A thread that compares the value may be waiting for it, and values that atomics change have no last one: both
are left alone, as integers are.

**Barriers and threads that end.** `__syncthreads()` waits for all threads of the block that have not
ended. Found are threads that wait at another barrier than most of their block, and deadlocks. Threads that
end without having come to a barrier are no finding: `if (threadIdx.x < 16) __syncthreads();` may compile
to the same PTX as an early `return` before the barrier, which devices since Volta execute as it is meant.
The Programming Guide asks more, that a barrier's condition be the same for the whole block: a course that
wants this asks for it in a rule of its own.

**Read-only data.** `__ldg()` and `const __restrict__` pointers become `ld.global.nc`, which needs data that
no thread writes while the kernel runs. Reading and writing the same element in one launch is a race in
either order, with or without barriers, unless one thread alone reads the element and writes it afterwards.
A texture fetch of what the same kernel has written is a race too.
Surfaces are held to the rules of global memory.

**Textures of unwritten memory.** Arrays begin unwritten, as memory of `cudaMalloc` does. An element that nothing wrote is found
where a fetch's result hangs on it: a filter that gives it no weight, and a result that is dropped, are no finding.

**Programmatic launches.** A kernel with the attribute of programmatic stream serialisation may begin as soon as the kernel ahead has
called `cudaTriggerProgrammaticLaunchCompletion()`. What its blocks use before they call `cudaGridDependencySynchronize()` is
compared with all that the kernel ahead uses. Where that one calls no trigger, it has ended by then.

**printf in kernels.** What kernels print is shown by the next call that waits for the device, a stream or an event, copies without
`Async`, frees or resets, and before a function that a stream calls back. What no such call has shown is lost when the program
ends, which is a finding: a GPU, too, mostly loses it, though it may show what a kernel printed some time before the end. All is shown
as soon as a kernel ends that fails, under `CUDA_LAUNCH_BLOCKING=1`, and in graded runs. Where the program is killed, crashes
or calls `_exit`, what was held is shown on stderr. Threads that fail an assertion say so on stderr, as on a GPU.

**malloc in kernels.** An access must lie inside one block that is not freed. Blocks lie as far apart as they
are long, at most 256 bytes; an access further away may hit another block unseen. Blocks that nothing has freed when the
program ends are a finding, as memory of `cudaMalloc` is."""


def device_runtime(emulator):
    text = (emulator / "exec/device_runtime.cpp").read_text(encoding="utf-8")
    return sorted(re.findall(r'\{"(\w+)"', braces(text, "kCalls[]")))


def driver_calls(root):
    sources = sorted((root / "grader/cudart/driver").glob("*.cpp"))
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    names = sorted(set(re.findall(r"^CUresult (cu[A-Z]\w+)\(", text, re.M)))
    yield f"Programs of CUDA 13 find a `libcuda.so.1` with {len(names)} calls, in terms of the Runtime API; modules are PTX, as text"
    yield "or in a container, and no machine code. The others return `CUDA_ERROR_NOT_SUPPORTED` and say so once on stderr."
    yield ""
    yield ", ".join(f"`{name}`" for name in names) + "."


def page(root, library):
    emulator = root / "grader/emulator"
    yield "# What is emulated"
    yield ""
    yield "Generated by `meson compile -C build emulated-page` from the tables of the emulated device; a test compares."
    yield ""
    yield "## PTX"
    yield ""
    yield from opcode_chapters(emulator)
    yield ""
    yield "**Special registers**: " + ", ".join(f"`{name}`" for name in specials(emulator)) + "."
    yield "Others end in a finding, but for `%envreg*`, which read as 0."
    yield ""
    yield "**Directives**: " + ", ".join(f"`{name}`" for name in directives(emulator)) + "."
    yield ""
    yield "**Device functions** that the toolkit calls but does not define: " + ", ".join(
        f"`{name}`" for name in builtins(emulator)) + "."
    yield "Kernels launch kernels by these calls of the device runtime: " + ", ".join(
        f"`cuda{name}`" for name in device_runtime(emulator)) + ". Children run when their parent has ended."
    yield ""
    yield from JUDGEMENTS.splitlines()
    yield ""
    yield "## CUDA Runtime API"
    yield ""
    yield from calls(emulator, library)
    yield ""
    yield "## CUDA Driver API"
    yield ""
    yield from driver_calls(root)
    yield ""
    yield "## Devices"
    yield ""
    yield "`CUDA_VISIBLE_DEVICES` says which of the devices a program sees, and in which order, as on a GPU: by number or by the"
    yield "beginning of a UUID, up to the first that there is not. Graded runs see all."
    yield ""
    yield from devices(emulator)


def main():
    root, library = pathlib.Path(sys.argv[1]), sys.argv[2]
    path = root / "docs/emulated.md"
    text = "\n".join(page(root, library)) + "\n"
    if sys.argv[3:] == ["--check"]:
        if path.read_text(encoding="utf-8") == text:
            return 0
        print("docs/emulated.md is not what the tables say: meson compile -C build emulated-page", file=sys.stderr)
        return 1
    path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
