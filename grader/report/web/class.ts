// SPDX-License-Identifier: MIT
import { barFigure } from "./bars";
import { element, pageData } from "./data";
import { makeSortable, showRows } from "./table";

interface ClassData {
  /** Students in each tenth of the points. */
  scores: number[];
  items: { id: string; rate: number | null }[];
}

const kMarks = ["late", "provisional", "flagged", "not gradable"];

function labelled<T extends HTMLElement>(text: string, id: string, control: T): HTMLElement {
  const box = element("div");
  const label = element("label", "", text);
  label.htmlFor = id;
  control.id = id;
  box.append(label, control);
  return box;
}

/** Whether the student's points of the item are not all of them; `column` is the item's. */
function lost(row: HTMLTableRowElement, column: number): boolean {
  return row.cells[column]?.classList.contains("passed") === false;
}

function addFilters(place: HTMLElement, table: HTMLTableElement, items: string[]): void {
  const text = element("input");
  text.type = "search";
  const mark = element("select");
  mark.append(new Option("all", ""), ...kMarks.map((each) => new Option(each, each)));
  const item = element("select");
  item.append(new Option("any item", ""), ...items.map((each) => new Option(each, each)));
  const count = element("p", "count");
  count.setAttribute("role", "status");
  const headings = [...table.querySelectorAll("thead th")].map((each) => each.textContent);
  const refresh = (): void => {
    const wanted = text.value.trim().toLowerCase();
    const column = headings.lastIndexOf(item.value);
    const shown = showRows(table, (row) => {
      const marks = (row.dataset.marks ?? "").split(",");
      return (
        (mark.value === "" || marks.includes(mark.value)) &&
        (item.value === "" || lost(row, column)) &&
        (row.textContent ?? "").toLowerCase().includes(wanted)
      );
    });
    count.textContent = `${shown} of ${table.tBodies[0]?.rows.length ?? 0} students are shown`;
  };
  for (const control of [text, mark, item]) control.addEventListener("input", refresh);
  const row = element("div", "filters");
  row.append(
    labelled("Name or reason contains", "filter-text", text),
    labelled("Mark", "filter-mark", mark),
    labelled("Did not pass", "filter-item", item),
    count,
  );
  place.append(row);
  refresh();
}

function scoreFigure(scores: number[]): HTMLElement {
  const most = Math.max(...scores, 1);
  const bars = scores.map((count, place) => ({
    label: `from ${place * 10} %`,
    part: count / most,
    text: String(count),
  }));
  return barFigure("Students by score", bars);
}

function itemFigure(items: ClassData["items"]): HTMLElement {
  const bars = items.map((item) => ({
    label: item.id,
    part: item.rate ?? 0,
    text: item.rate === null ? "none judged" : `${Math.round(100 * item.rate)} %`,
  }));
  return barFigure("Pass rate of each item", bars);
}

const data = pageData<ClassData>();
const students = document.getElementById("students");
const filters = document.getElementById("filters");
if (students instanceof HTMLTableElement && filters !== null) {
  makeSortable(students);
  addFilters(filters, students, data.items.map((item) => item.id));
}
const items = document.getElementById("items");
if (items instanceof HTMLTableElement) makeSortable(items);
document.getElementById("score-plot")?.append(scoreFigure(data.scores));
document.getElementById("item-plot")?.append(itemFigure(data.items));
