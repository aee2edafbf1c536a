// SPDX-License-Identifier: MIT
import { element } from "./data";

/** What a cell is sorted by: its number, or else its text. */
function keyOf(row: HTMLTableRowElement, column: number): number | string {
  const cell = row.cells[column];
  const value = cell?.dataset.value;
  return value === undefined ? (cell?.textContent ?? "").trim() : Number(value);
}

/** Numbers before texts, and cells without anything last in either order. */
function compare(a: number | string, b: number | string, sign: number): number {
  if (a === b) return 0;
  if (a === "" || b === "") return a === "" ? 1 : -1;
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  if (typeof a === "number" || typeof b === "number") return typeof a === "number" ? -1 : 1;
  return sign * a.localeCompare(b, undefined, { numeric: true, sensitivity: "base" });
}

function sortBy(table: HTMLTableElement, heading: HTMLTableCellElement): void {
  const body = table.tBodies[0];
  if (body === undefined) return;
  const descending = heading.getAttribute("aria-sort") === "ascending";
  for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const keyed = [...body.rows].map((row) => ({ row, key: keyOf(row, heading.cellIndex) }));
  keyed.sort((a, b) => compare(a.key, b.key, descending ? -1 : 1));
  body.append(...keyed.map((each) => each.row));
}

/** Makes each heading a button that sorts by its column, and turns the order round when it is pressed again. */
export function makeSortable(table: HTMLTableElement): void {
  for (const heading of table.querySelectorAll<HTMLTableCellElement>("thead th")) {
    const button = element("button", "", heading.textContent ?? "");
    button.type = "button";
    button.addEventListener("click", () => sortBy(table, heading));
    heading.replaceChildren(button);
  }
}

/** Hides the rows that do not fit and gives how many are left. */
export function showRows(
  table: HTMLTableElement,
  fits: (row: HTMLTableRowElement) => boolean,
): number {
  let shown = 0;
  for (const row of table.tBodies[0]?.rows ?? []) {
    row.hidden = !fits(row);
    if (!row.hidden) ++shown;
  }
  return shown;
}
