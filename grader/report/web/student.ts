// SPDX-License-Identifier: MIT
import { barFigure, type Bar } from "./bars";
import { pageData } from "./data";

interface Kernel {
  caption: string;
  gauges: { label: string; part: number }[];
}

interface Speed {
  caption: string;
  modelled: number | null;
  measured: number | null;
}

interface Time {
  caption: string;
  program: string;
  ms: number | null;
}

interface StudentData {
  /** In the page's language, as all captions and labels are. */
  words: { modelled: string; measured: string };
  kernels: Kernel[];
  speeds: Speed[];
  times: Time[];
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function kernelFigure(kernel: Kernel): HTMLElement {
  const bars = kernel.gauges.map((gauge) => ({
    label: gauge.label,
    part: gauge.part,
    text: `${Math.round(100 * gauge.part)} %`,
  }));
  return barFigure(kernel.caption, bars);
}

function speedFigure(speed: Speed, words: StudentData["words"]): HTMLElement {
  const known: [string, number, boolean][] = [];
  if (speed.modelled !== null) known.push([words.modelled, speed.modelled, true]);
  if (speed.measured !== null) known.push([words.measured, speed.measured, false]);
  const longest = Math.max(...known.map((each) => each[1]), Number.MIN_VALUE);
  const bars: Bar[] = known.map(([label, value, modelled]) => ({
    label,
    part: value / longest,
    text: rounded(value),
    modelled,
  }));
  return barFigure(speed.caption, bars);
}

/** One figure for each case and range: the student's program beside the course's. */
function timeFigures(times: Time[]): HTMLElement[] {
  const groups = new Map<string, Bar[]>();
  for (const time of times) {
    if (time.ms === null) continue;
    const bars = groups.get(time.caption) ?? [];
    bars.push({ label: time.program, part: time.ms, text: `${rounded(time.ms)} ms` });
    groups.set(time.caption, bars);
  }
  return [...groups].map(([caption, bars]) => {
    const longest = Math.max(...bars.map((bar) => bar.part), Number.MIN_VALUE);
    return barFigure(caption, bars.map((bar) => ({ ...bar, part: bar.part / longest })));
  });
}

const data = pageData<StudentData>();
document.getElementById("kernel-plots")?.append(...data.kernels.map(kernelFigure));
document
  .getElementById("speed-plots")
  ?.append(...data.speeds.map((speed) => speedFigure(speed, data.words)), ...timeFigures(data.times));
