import { describe, expect, test } from "bun:test";
import { pageText } from "../../../src/services/web/page-text.ts";
import { outlineOf, visible } from "../../../src/services/web/visible-text.ts";
import { cpuClock } from "../../support/cpu-clock.ts";
import { eachOrDeep } from "../../support/deep.ts";
import { DOCUMENTATION_PAGES } from "../../support/web-pages/documentation-pages.ts";
import { OTHER_PAGES } from "../../support/web-pages/other-pages.ts";
import { documentOf, PAGE_URL, prose } from "../../support/web-pages/page.ts";

const PAGES = [...DOCUMENTATION_PAGES, ...OTHER_PAGES];
const markdownOf = (body: string) => pageText(`<main><p>${prose("page")}</p>${body}</main>`, PAGE_URL).markdown;
const after = (body: string) => markdownOf(body).split("\n\n").slice(1).join("\n\n");

test("the samples are pages of twenty kinds", () => {
  expect(new Set(PAGES.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(20);
});

test.each(PAGES.map((page) => [page.kind, page] as const))(
  "the content of a page (%s) survives, what surrounds it does not",
  (_, page) => {
    const { markdown } = pageText(page.html, PAGE_URL);
    expect(page.keep.filter((one) => !one.test(markdown))).toEqual([]);
    expect(page.drop.filter((one) => one.test(markdown))).toEqual([]);
  },
);

describe("Markdown of a page", () => {
  test.each([
    ["<h2>A <code>b</code></h2>", "## A `b`"],
    ["<p>a <b>b</b><i> c </i>d</p>", "a **b** *c* d"],
    [
      "<p><a href='x?a=(1)'>y</a> <a href='#z'>z</a> <a href='javascript:f()'>f</a></p>",
      "[y](https://docs.example.com/guide/x?a=%281%29) z f",
    ],
    ["<a href='/c'><div><h3>Card</h3><p>Text</p></div></a>", "### Card\n\nText\n\n<https://docs.example.com/c>"],
    ["<pre>a\n```\nb</pre>", "````\na\n```\nb\n````"],
    ["<pre><code class='hljs language-c++'>int a&lt;b&gt;;</code></pre>", "```c++\nint a<b>;\n```"],
    ["<p>use <code>a`b</code></p>", "use `` a`b ``"],
    ["<ol start=3><li>c<li>d</ol>", "3. c\n4. d"],
    ["<ul><li><p>a</p><pre>x\ny</pre></li></ul>", "- a\n  ```\n  x\n  y\n  ```"],
    ["<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"],
    ["<table><tr><td>only</td></tr><tr><td>layout</td></tr></table>", "only\n\nlayout"],
    ["<table><tr><td><ul><li>a</li></ul></td><td>b</td></tr></table>", "- a\n\nb"],
    ["<table><tr><th>a<th>b<tr><td>c|d<td>e<br>f</table>", "| a | b |\n| --- | --- |\n| c\\|d | e f |"],
    ["<dl><dt>a</dt><dd>b</dd></dl>", "a\n\n: b"],
    ["<details><summary>More</summary>text</details>", "**More**\n\ntext"],
    ["<details><summary>1.0 <h4>fn a()</h4></summary>text</details>", "1.0\n\n#### fn a()\n\ntext"],
    ["<h2><a class='doc-anchor' href='#x'>§</a>Examples</h2>", "## Examples"],
    ["<pre class='rust rust-example-rendered'><code>let a;</code></pre>", "```rust\nlet a;\n```"],
    ["<p>a<br>b</p><hr>", "a\nb\n\n---"],
    [
      "<img src='/a.png' alt='A  picture'><img src='data:x' alt='no'><img src='/b.png'>",
      "![A picture](https://docs.example.com/a.png)",
    ],
    ["<p hidden>x</p><p style='display: none'>y</p><script>z</script><p>a</p>", "a"],
    ["<div class='feedback'><p>Was this page helpful?</p><a href='#y'>Yes</a></div><p>a</p>", "a"],
    ["<h2 class='feedback--title'>Feedback</h2><p class='feedback--prompt'>Was it?</p><p>a</p>", "a"],
    ["<section class='x doc-feedback'>?</section><div class='was-this-helpful'>?</div><p>a</p>", "a"],
    ["<div class='invalid-feedback'>b</div><p class='feedback-loops'>c</p>", "b\n\nc"],
    ["<p>ignore&#8203; pre&#xE0041;vious</p>", "ignore previous"],
    ["<p>\u001b[31mred\u001b[0m \u001b]52;c;aGk=\u0007end</p>", "red end"],
  ])("writes %s", (html, expected) => {
    expect(after(html)).toBe(expected);
  });

  test("resolves links by the base of the page", () => {
    const html = `<head><base href="https://other.example/b/"></head><p>${prose("page")}</p><a href="c">d</a>`;
    expect(pageText(html, PAGE_URL).markdown).toContain("[d](https://other.example/b/c)");
  });

  test("keeps everything if the page has nothing but navigation", () => {
    const links = Array.from({ length: 60 }, (_, at) => `<li><a href="/${at}">Chapter ${at}</a></li>`).join("");
    expect(pageText(`<nav><ul>${links}</ul></nav>`, PAGE_URL).markdown).toContain("Chapter 59");
  });
});

test("the rows below a cell that reaches over several rows keep their columns", () => {
  const rows = [
    "<tr><th>kind<th>size<th>price",
    "<tr><td rowspan=2>plums<td>small<td>1",
    "<tr><td>large<td>2",
    "<tr><td colspan=2 rowspan=2>pears<td>3",
    "<tr><td>4",
    "<tr><td>figs<td>any<td>5",
  ];
  expect(
    after(`<table>${rows.join("")}</table>`)
      .split("\n")
      .slice(2),
  ).toEqual(["| plums | small | 1 |", "|  | large | 2 |", "| pears |  | 3 |", "|  |  | 4 |", "| figs | any | 5 |"]);
});

describe("a page without content", () => {
  test.each([
    [
      "a login",
      documentOf({ title: "Log in", body: '<form><input name="u"><input type="password"></form>' }),
      /asks for a login/,
    ],
    ["a captcha", documentOf({ title: "Just a moment...", body: '<div class="cf-turnstile"></div>' }), /captcha/],
  ])("(%s) is said", (_, html, note) => {
    expect(pageText(html, PAGE_URL).notes.join()).toMatch(note);
  });

  test("that only sends its readers on gives the address, which is absolute", () => {
    const html = '<meta http-equiv="refresh" content="0; url=../stable/?a=1&amp;b=2"><title>Redirecting</title>';
    const { markdown, notes } = pageText(html, PAGE_URL);
    expect(markdown).toBe("<https://docs.example.com/stable/?a=1&b=2>");
    expect(notes.join()).toContain("sends its readers on");
  });

  test("is not what a page with a login beside its content is", () => {
    const html = documentOf({
      title: "T",
      body: `<main><p>${prose("page")}</p></main><form><input type="password"></form>`,
    });
    expect(pageText(html, PAGE_URL).notes).toEqual([]);
  });
});

const ANALYTICS = `<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>
<script>window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments)}gtag("js",new Date());</script>`;
const SHORT = "<main><h1>Service status</h1><p>All systems work. Last checked on 3 October at 12:00.</p></main>";
const page = (head: string, body: string) =>
  `<!doctype html><html lang="en"><head><title>A page</title>${head}</head><body>${body}</body></html>`;
const saysScripts = (html: string) => pageText(html, PAGE_URL).notes.some((note) => note.includes("scripts write it"));

describe("scripts are said to write what may be missing of", () => {
  test.each([
    ["Vite", '<script type="module" crossorigin src="/assets/index-1.js"></script>', '<div id="root"></div>'],
    [
      "Create React App",
      '<script defer src="/static/js/main.js"></script>',
      '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>',
    ],
    [
      "Next.js",
      "",
      '<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{}</script><script src="/_next/main.js"></script>',
    ],
    [
      "Nuxt",
      "",
      '<div id="__nuxt"><svg><text>Nuxt</text></svg></div><script type="module" src="/_nuxt/e.js"></script>',
    ],
    ["Angular", "", '<app-root></app-root><script src="main.js" type="module"></script>'],
    ["SvelteKit", "", '<div style="display: contents"><script>import("/_app/start.js")</script></div>'],
    ["a page of a module alone", "", '<p>three.js - geometry</p><script type="module">start()</script>'],
    ["a loading page", "", "<p>Loading, please wait…</p><script>start()</script>"],
    [
      "a page whose noscript asks for JavaScript",
      "",
      "<h1>Acme</h1><noscript><p>This site requires JavaScript.</p></noscript><div id='x'></div><script src='a.js'></script>",
    ],
  ])("%s", (_, head, body) => {
    expect(saysScripts(page(head, body))).toBe(true);
  });

  test.each([
    ["a page without scripts", page("", SHORT)],
    ["a short page with data for search engines", page('<script type="application/ld+json">{}</script>', SHORT)],
    ["a page with enough text", page(ANALYTICS, `<div id="app"></div><p>${prose("page")}</p>`)],
  ])("not of %s", (_, html) => {
    expect(saysScripts(html)).toBe(false);
  });
});

test("an outline has the headings with their places, and none out of code", () => {
  const markdown = "# A\n\ntext\n\n```sh\n# no heading\n```\n\n## B `c`\n";
  expect(outlineOf(markdown)).toEqual([
    { offset: 0, level: 1, text: "A" },
    { offset: markdown.indexOf("## B"), level: 2, text: "B `c`" },
  ]);
});

test("text without invisible characters keeps joiners of emoji and of scripts", () => {
  expect(visible("👩‍💻 می‌خواهم a\u200bb")).toBe("👩‍💻 می‌خواهم ab");
});

describe("a hostile page", () => {
  const limited = (html: string) => {
    const spentMs = cpuClock();
    const { markdown } = pageText(html, PAGE_URL);
    expect(spentMs()).toBeLessThan(5_000);
    return markdown;
  };

  eachOrDeep(
    "of %s is read in time",
    (at) => at % 3 === 0,
    [
      ["nested elements", "<div>".repeat(10_000), "</div>".repeat(10_000)],
      ["nested lists", "<ul><li>".repeat(5_000), ""],
      ["nested quotes", "<blockquote>".repeat(20_000), ""],
      ["nested tables", "<table><tr><td>".repeat(5_000), ""],
      ["nested marks", "<b><i>".repeat(5_000), ""],
      ["nested code", "<pre><code>".repeat(5_000), ""],
      ["closing tags alone", "</li></table></blockquote>".repeat(50_000), ""],
      ["attributes", `<p ${"a=1 ".repeat(200_000)}>`, ""],
      ["an unfinished tag", `x <p title="${"a".repeat(2_000_000)}`, ""],
      ["one long line", `<p>${"word ".repeat(400_000)}</p>`, ""],
      ["blanks", `<p>${" ".repeat(2_000_000)}</p>`, ""],
      ["ticks", `<pre>${"```\n".repeat(300_000)}</pre>`, ""],
      ["cells", `<table>${"<tr><td>a<td>b".repeat(10_000)}</table>`, ""],
      ["spans", `<table>${"<tr><td colspan=100000>a".repeat(1_000)}</table>`, ""],
    ],
    (_, before, behind) => {
      const markdown = limited(`<p>${prose("start")}</p>${before}<p>${prose("end", 1)}</p>${behind}`);
      expect(markdown).toContain("The start starts");
    },
  );
});
