import { expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { MarkdownRenderer } from "../../../../src/faces/repl/markdown/markdown-renderer.ts";
import { linkedAddresses, linkedPaths } from "../../../../src/faces/repl/view/linked-files.ts";
import { rowLines } from "../../../../src/faces/repl/view/row-lines.ts";
import { terminalTheme, themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { toolHead } from "../../../../src/faces/repl/view/tool-lines.ts";
import { cpuClock } from "../../../support/cpu-clock.ts";

const LINKS = themeFor(1, true, true);
const markdown = new MarkdownRenderer();
await markdown.warm();
const draw = (text: string, columns: number, theme = LINKS) =>
  rowLines({ kind: "markdown", first: false, chunk: { kind: "markdown", gap: false, text } }, undefined, {
    ...{ theme, columns, markdown },
  });
// biome-ignore lint/suspicious/noControlCharactersInRegex: links begin with one.
const OPENED = /\u001b\]8;(id=\w+);(https?:[^\u0007]+)\u0007/g;
const links = (line: string) => Array.from(line.matchAll(OPENED), ([, id, address]) => `${id} ${address}`);

test("each part of an address on wrapped lines opens the whole address, with one id, and ends in its line", () => {
  const address = `https://example.com/${"a".repeat(60)}`;
  const lines = draw(`See ${address} now`, 40).filter((line) => line.includes("aaa"));
  expect(lines.length).toBeGreaterThan(1);
  const parts = lines.flatMap(links);
  expect(parts).toHaveLength(lines.length);
  expect(new Set(parts).size).toBe(1);
  expect(parts[0]).toEndWith(address);
  for (const line of lines) {
    expect(line.lastIndexOf("\u001b]8;;\u0007")).toBeGreaterThan(line.lastIndexOf("\u001b]8;id"));
    expect(textWidth(line)).toBeLessThanOrEqual(40);
  }
});

test("a link with a name still shows where it goes; other schemes than the web's are no links", () => {
  const [named = ""] = draw("[docs](https://example.com/x)", 80);
  expect(links(named)[0]).toEndWith(" https://example.com/x");
  expect(stripAnsi(named)).toContain("docs (https://example.com/x)");
  for (const text of ["[run](vscode://x)", "[a](javascript:1)", "[f](file:///etc/passwd)"])
    expect(draw(text, 80).join("")).not.toContain("\u001b]8;");
});

test("addresses in output are links without the punctuation after them, and a terminal without links gets none", () => {
  const line = linkedAddresses("(see https://example.com/a?b=1, or http://x.org).", LINKS);
  expect(links(line).map((one) => one.split(" ")[1])).toEqual(["https://example.com/a?b=1", "http://x.org/"]);
  expect(stripAnsi(line)).toBe("(see https://example.com/a?b=1, or http://x.org).");
  expect(linkedAddresses("https://example.com", themeFor(3))).toBe("https://example.com");
});

test("a path in code, and the file of a call, are links if the file is there", () => {
  const isThere = (path: string) => path === "src/cart.ts" || path === "/p/src/cart.ts";
  const fileAddress = (path: string, line = 0) => (isThere(path) ? `vscode://file/${path}:${line}` : undefined);
  const theme = terminalTheme({ colorLevel: 1, hasLinks: true, fileAddress });
  const addresses = (text: string) => text.match(/vscode:\/\/\P{Cc}*/gu) ?? [];
  expect(addresses(draw("See `src/cart.ts:41` and `src/cart.ts`.", 80, theme).join())).toEqual([
    "vscode://file/src/cart.ts:41",
    "vscode://file/src/cart.ts:0",
  ]);
  expect(addresses(draw("`src/gone.ts`, `cart()`, `npm test` and `https://x.org/a.ts`", 80, theme).join())).toEqual([]);
  const [named = ""] = draw("[the cart](src/cart.ts#L41), [`src/cart.ts`](src/cart.ts), [b](src/gone.ts)", 80, theme);
  expect(addresses(named)).toEqual(["vscode://file/src/cart.ts:41", "vscode://file/src/cart.ts:0"]);
  expect(stripAnsi(named).trim()).toBe("the cart (src/cart.ts#L41), src/cart.ts, b (src/gone.ts)");
  const use = { type: "tool_use", id: "t", name: "Edit", input: { file_path: "/p/src/cart.ts" } } as const;
  const tool = {
    use,
    title: "src/cart.ts",
    isError: false,
    durationMs: 1,
    excerpt: "",
    display: undefined,
    refusedBy: undefined,
  };
  const row = toolHead(tool, { theme, columns: 40 });
  expect(addresses(row)).toEqual(["vscode://file//p/src/cart.ts:0"]);
  expect([stripAnsi(row).trimEnd(), textWidth(row)]).toEqual(["  edit   src/cart.ts", 20]);
  expect(toolHead(tool, { theme: LINKS, columns: 40 })).not.toContain("vscode:");
});

test("a path in prose is a link to the file that is there, with its line, and what only looks like one is text", () => {
  const asked: string[] = [];
  const isThere = new Set(["src/cart.ts", "README.md", "./a.b.test.ts"]);
  const fileAddress = (path: string, line = 0) => {
    asked.push(path);
    return isThere.has(path) ? `vscode://file/${path}:${line}` : undefined;
  };
  const theme = terminalTheme({ colorLevel: 1, hasLinks: true, fileAddress });
  const addresses = (text: string) =>
    draw(text, 80, theme)
      .join()
      .match(/vscode:\/\/\P{Cc}*/gu) ?? [];
  expect(addresses("I changed src/cart.ts:41-44, README.md and (./a.b.test.ts).")).toEqual([
    "vscode://file/src/cart.ts:41",
    "vscode://file/README.md:0",
    "vscode://file/./a.b.test.ts:0",
  ]);
  expect(addresses("**src/cart.ts:7** in a list:\n- README.md#L3")).toEqual([
    "vscode://file/src/cart.ts:7",
    "vscode://file/README.md:3",
  ]);
  asked.length = 0;
  const others =
    "e.g. 3.5 https://x.org/README.md /src/cart.ts ~/README.md ../README.md a/../README.md xsrc/cart.ts/y README.md-old";
  expect(addresses(others)).toEqual([]);
  // What lies outside of the working folder is not even looked for.
  expect(asked.filter((path) => /^[/~]|\.\.\//.test(path))).toEqual([]);
  expect(addresses("[README.md](https://x.org/a) and [`README.md`](https://x.org/a)")).toEqual([]);
  expect(addresses("README.md ".repeat(30))).toHaveLength(20);
  const spent = cpuClock();
  for (const run of ["a.b/", "a=-", "a/", "%"]) linkedPaths(`${run.repeat(20_000)} .`, theme);
  expect(spent()).toBeLessThan(1_000);
});
