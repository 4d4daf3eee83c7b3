import { expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { MarkdownRenderer } from "../../../../src/faces/repl/markdown/markdown-renderer.ts";
import { linkedAddresses } from "../../../../src/faces/repl/view/linked-addresses.ts";
import { rowLines } from "../../../../src/faces/repl/view/row-lines.ts";
import { terminalTheme, themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { toolHead } from "../../../../src/faces/repl/view/tool-lines.ts";

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
  const theme = terminalTheme({ stdout: process.stdout, colorLevel: 1, hasLinks: true, fileAddress });
  const addresses = (text: string) => text.match(/vscode:\/\/\P{Cc}*/gu) ?? [];
  expect(addresses(draw("See `src/cart.ts:41` and `src/cart.ts`.", 80, theme).join())).toEqual([
    "vscode://file/src/cart.ts:41",
    "vscode://file/src/cart.ts:0",
  ]);
  expect(addresses(draw("`src/gone.ts`, `cart()`, `npm test` and `https://x.org/a.ts`", 80, theme).join())).toEqual([]);
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
