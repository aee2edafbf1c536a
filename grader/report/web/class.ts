// SPDX-License-Identifier: MIT
import { barFigure } from "./bars";
import { element, pageData } from "./data";
import { makeSortable, showRows } from "./table";

interface ClassWords {
  marks: string[];
  all: string;
  any_item: string;
  text: string;
  mark: string;
  item: string;
  /** With {shown} and {all}. */
  shown: string;
  /** With {from}. */
  from: string;
  scores: string;
  items: string;
  none_judged: string;
}

interface ClassData {
  /** In the page's language. */
  words: ClassWords;
  /** Students in each tenth of the points. */
  scores: number[];
  items: { id: string; rate: number | null }[];
}

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

function addFilters(
  place: HTMLElement,
  table: HTMLTableElement,
  items: string[],
  words: ClassWords,
): void {
  const text = element("input");
  text.type = "search";
  const mark = element("select");
  mark.append(new Option(words.all, ""), ...words.marks.map((each) => new Option(each, each)));
  const item = element("select");
  item.append(new Option(words.any_item, ""), ...items.map((each) => new Option(each, each)));
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
    count.textContent = words.shown
      .replace("{shown}", String(shown))
      .replace("{all}", String(table.tBodies[0]?.rows.length ?? 0));
  };
  for (const control of [text, mark, item]) control.addEventListener("input", refresh);
  const row = element("div", "filters");
  row.append(
    labelled(words.text, "filter-text", text),
    labelled(words.mark, "filter-mark", mark),
    labelled(words.item, "filter-item", item),
    count,
  );
  place.append(row);
  refresh();
}

function scoreFigure(scores: number[], words: ClassWords): HTMLElement {
  const most = Math.max(...scores, 1);
  const bars = scores.map((count, place) => ({
    label: words.from.replace("{from}", String(place * 10)),
    part: count / most,
    text: String(count),
  }));
  return barFigure(words.scores, bars);
}

function itemFigure(items: ClassData["items"], words: ClassWords): HTMLElement {
  const bars = items.map((item) => ({
    label: item.id,
    part: item.rate ?? 0,
    text: item.rate === null ? words.none_judged : `${Math.round(100 * item.rate)} %`,
  }));
  return barFigure(words.items, bars);
}

const data = pageData<ClassData>();
const students = document.getElementById("students");
const filters = document.getElementById("filters");
if (students instanceof HTMLTableElement && filters !== null) {
  makeSortable(students);
  addFilters(filters, students, data.items.map((item) => item.id), data.words);
}
const items = document.getElementById("items");
if (items instanceof HTMLTableElement) makeSortable(items);
document.getElementById("score-plot")?.append(scoreFigure(data.scores, data.words));
document.getElementById("item-plot")?.append(itemFigure(data.items, data.words));
