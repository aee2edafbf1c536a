// SPDX-License-Identifier: MIT
import { barFigure, type Bar } from "./bars";
import { pageData } from "./data";

interface Kernel {
  name: string;
  gauges: { label: string; part: number }[];
}

interface Speed {
  title: string;
  case: string;
  modelled: number | null;
  measured: number | null;
}

interface Time {
  case: string;
  range: string;
  program: string;
  ms: number | null;
}

interface StudentData {
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
  return barFigure(`${kernel.name}: of the ideal`, bars);
}

function speedFigure(speed: Speed): HTMLElement {
  const known: [string, number, boolean][] = [];
  if (speed.modelled !== null) known.push(["modelled", speed.modelled, true]);
  if (speed.measured !== null) known.push(["measured", speed.measured, false]);
  const longest = Math.max(...known.map((each) => each[1]), Number.MIN_VALUE);
  const bars: Bar[] = known.map(([label, value, modelled]) => ({
    label,
    part: value / longest,
    text: rounded(value),
    modelled,
  }));
  return barFigure(`${speed.title}, case ${speed.case}`, bars);
}

/** One figure for each case and range: the student's program beside the course's. */
function timeFigures(times: Time[]): HTMLElement[] {
  const groups = new Map<string, Bar[]>();
  for (const time of times) {
    if (time.ms === null) continue;
    const name = `Measured time in ${time.range}, case ${time.case}; less is faster`;
    const bars = groups.get(name) ?? [];
    bars.push({ label: time.program, part: time.ms, text: `${rounded(time.ms)} ms` });
    groups.set(name, bars);
  }
  return [...groups].map(([name, bars]) => {
    const longest = Math.max(...bars.map((bar) => bar.part), Number.MIN_VALUE);
    return barFigure(name, bars.map((bar) => ({ ...bar, part: bar.part / longest })));
  });
}

const data = pageData<StudentData>();
document.getElementById("kernel-plots")?.append(...data.kernels.map(kernelFigure));
document
  .getElementById("speed-plots")
  ?.append(...data.speeds.map(speedFigure), ...timeFigures(data.times));
