// SPDX-License-Identifier: MIT

/** What the page's JSON holds; the page's writer puts it there. */
export function pageData<T>(): T {
  return JSON.parse(document.getElementById("data")?.textContent ?? "{}") as T;
}

/** An element with a class and a text. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = "",
  text = "",
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  if (text !== "") made.textContent = text;
  return made;
}
