// SPDX-License-Identifier: MIT
import { element } from "./data";

export interface Bar {
  label: string;
  /** Of the longest that a bar can be, 0 to 1. */
  part: number;
  text: string;
  modelled?: boolean;
}

const kWidth = 480;
const kLabelWidth = 170;
const kTextWidth = 90;
const kRow = 24;

function shape(tag: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  if (text !== "") made.textContent = text;
  return made;
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most - 1) + "\u2026";
}

function addRow(picture: SVGElement, bar: Bar, row: number): void {
  const y = row * kRow;
  const room = kWidth - kLabelWidth - kTextWidth;
  const length = Math.max(0, Math.min(1, bar.part)) * room;
  picture.append(
    shape("text", { x: 0, y: y + 16 }, shortened(bar.label, 26)),
    shape("rect", { class: "track", x: kLabelWidth, y: y + 4, width: room, height: kRow - 8 }),
    shape("rect", {
      class: bar.modelled === true ? "bar modelled" : "bar",
      x: kLabelWidth,
      y: y + 4,
      width: length,
      height: kRow - 8,
    }),
    shape("text", { x: kWidth - kTextWidth + 6, y: y + 16 }, bar.text),
  );
}

/** Horizontal bars under a caption; a screen reader reads them as one sentence. */
export function barFigure(caption: string, bars: Bar[]): HTMLElement {
  const figure = element("figure");
  const picture = shape("svg", {
    viewBox: `0 0 ${kWidth} ${Math.max(1, bars.length) * kRow}`,
    role: "img",
    "aria-label": `${caption}: ${bars.map((bar) => `${bar.label} ${bar.text}`).join(", ")}`,
  });
  bars.forEach((bar, row) => addRow(picture, bar, row));
  figure.append(element("figcaption", "", caption), picture);
  return figure;
}
