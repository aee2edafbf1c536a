// SPDX-License-Identifier: MIT
// Finds sections that hold all words of the search box; searchIndex holds [page, title, anchor, heading, text] of each.
"use strict";

const kMostShown = 20, kExcerpt = 160;
const form = document.querySelector("form[role=search]");
const box = document.getElementById("search");
const found = document.getElementById("found");
const article = document.querySelector("article");

/** How well a section fits; 0 where a word is missing. */
function scoreOf([, title, , heading, text], words) {
  let score = 0;
  for (const word of words) {
    const inHeading = heading.toLowerCase().includes(word), inTitle = title.toLowerCase().includes(word);
    const times = text.toLowerCase().split(word).length - 1;
    if (!inHeading && !inTitle && times === 0) return 0;
    score += (inHeading ? 20 : 0) + (inTitle ? 5 : 0) + Math.min(times, 5);
  }
  return score;
}

function excerptOf(text, word) {
  const at = Math.max(text.toLowerCase().indexOf(word), 0);
  const begin = at < kExcerpt / 2 ? 0 : text.lastIndexOf(" ", at - kExcerpt / 4) + 1;
  return (begin > 0 ? "\u2026" : "") + text.slice(begin, begin + kExcerpt).trim();
}

function entryOf([page, title, anchor, heading, text], word) {
  const entry = document.createElement("li");
  const link = document.createElement("a");
  link.href = `${page}#${anchor}`;
  link.textContent = heading === title ? title : `${title}: ${heading}`;
  const words = document.createElement("p");
  words.textContent = excerptOf(text, word);
  entry.append(link, words);
  return entry;
}

function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
  found.hidden = words.length === 0;
  article.hidden = words.length > 0;
  if (words.length === 0) return;
  const hits = searchIndex
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter((hit) => hit.score > 0)
    .sort((a, b) => b.score - a.score);
  const shown = hits.slice(0, kMostShown);
  found.querySelector("p").textContent =
    hits.length > kMostShown ? `${hits.length} sections, the best ${kMostShown} of them` : `${hits.length} sections`;
  found.querySelector("ol").replaceChildren(...shown.map((hit) => entryOf(hit.section, words[0])));
}

form.hidden = false;
form.addEventListener("submit", (event) => event.preventDefault());
box.addEventListener("input", search);
// A result on this page must bring the text back.
found.addEventListener("click", (event) => {
  if (!(event.target instanceof HTMLAnchorElement)) return;
  box.value = "";
  search();
});
