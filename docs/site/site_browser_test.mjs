// SPDX-License-Identifier: MIT
// usage: node site_browser_test.mjs NODE_MODULES CHROMIUM SITE
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, executablePath, site] = process.argv.slice(2);
const { chromium } = createRequire(join(modules, "x"))("playwright-core");
const axe = readFileSync(join(modules, "axe-core", "axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const root = pathToFileURL(site).href;

/** Opens a page, and fails on an error and on a request that leaves the site. */
async function open(name, options, look) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const troubles = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(`${root}/`) && !request.url().startsWith("data:")) troubles.push(request.url());
  });
  page.on("pageerror", (error) => troubles.push(error.message));
  await page.goto(`${root}/${name}`);
  await look(page);
  assert.deepEqual(troubles, [], name);
  await context.close();
}

async function expectAccessible(page, name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const found = violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`);
  assert.deepEqual(found, [], name);
}

const tests = {
  async "every page is accessible and asks for nothing outside of the site"() {
    const pages = readdirSync(site).filter((name) => name.endsWith(".html"));
    assert.ok(pages.length > 30, `${pages.length} pages`);
    for (const name of pages) await open(name, {}, (page) => expectAccessible(page, name));
  },
  async "pages are accessible in the dark and fit a phone"() {
    await open("grading.html", { colorScheme: "dark" }, (page) => expectAccessible(page, "dark"));
    await open("exports.html", { viewport: { width: 360, height: 740 } }, async (page) => {
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 360, `${width} pixels`);
    });
  },
  async "the search finds a section and leads there"() {
    await open("index.html", {}, async (page) => {
      await page.getByRole("searchbox").fill("winnowing");
      assert.match(await page.getByRole("status").innerText(), /^\d+ sections/);
      assert.equal(await page.locator("article").isVisible(), false);
      await expectAccessible(page, "search");
      await page.locator("#found a").first().click();
      await page.waitForURL(/grading\.html#similar-programs$/);
      assert.equal(await page.locator("article").isVisible(), true);
    });
  },
  async "a search for nothing known says so"() {
    await open("index.html", {}, async (page) => {
      await page.getByRole("searchbox").fill("zzzqqq");
      assert.equal(await page.getByRole("status").innerText(), "0 sections");
      await page.getByRole("searchbox").fill("");
      assert.equal(await page.locator("article").isVisible(), true);
    });
  },
  async "without scripts the pages and their navigation remain"() {
    await open("index.html", { javaScriptEnabled: false }, async (page) => {
      assert.equal(await page.locator("form").isVisible(), false);
      await page.getByRole("navigation").getByRole("link", { name: "For students" }).click();
      await page.waitForURL(/students\.html$/);
    });
  },
};

let failures = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log(`ok: ${name}`);
  } catch (problem) {
    ++failures;
    console.log(`not ok: ${name}: ${problem.message}`);
  }
}
await browser.close();
process.exit(failures > 0 ? 1 : 0);
