import { expect, test } from "bun:test";
import { MAIN_AGENT } from "../../../src/contracts/agent.ts";
import { type EntryBody, makeEntry } from "../../../src/contracts/session.ts";
import { exportedSession } from "../../../src/services/export/exported-session.ts";
import { htmlExport } from "../../../src/services/export/html-export.ts";
import { codeBlocksOf, markdownExport } from "../../../src/services/export/markdown-export.ts";

const ANSWER = {
  role: "assistant",
  id: "a1",
  model: "sonnet",
  stopReason: "tool_use",
  usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
} as const;

function sessionOf(...bodies: readonly EntryBody[]) {
  const entries = bodies.map((body, at) =>
    makeEntry(body, { parentId: null, agent: MAIN_AGENT }, { id: `e${at}`, now: 0 }),
  );
  return exportedSession({ sessionId: "s1" }, entries, (text) => text.replaceAll("hunter2", "[hidden]"));
}

const prompt = (text: string): EntryBody => ({
  kind: "user",
  prompt: text,
  message: { role: "user", id: text, content: [{ type: "text", text: `${text} and what the harness adds` }] },
});
const HARNESS: EntryBody = { ...prompt("a note"), by: "harness" } as EntryBody;
const answer = (text: string, input?: Readonly<Record<string, unknown>>): EntryBody => ({
  kind: "assistant",
  message: {
    ...ANSWER,
    content: [
      ...(text === "" ? [] : [{ type: "text", text } as const]),
      ...(input ? [{ type: "tool_use", id: "t1", name: "Bash", input } as const] : []),
    ],
  },
});
const result = (content: string, isError = false): EntryBody => ({
  kind: "tool_finished",
  result: { type: "tool_result", toolUseId: "t1", content, isError },
});

test("the title is the name of the session, else its first prompt", async () => {
  const session = exportedSession({ sessionId: "s1", name: "Cart <1>" }, [], (text) => text);
  expect(markdownExport(session)).toStartWith("# Cart <1>\n");
  expect(await htmlExport(session, undefined)).toContain("<h1>Cart &lt;1&gt;</h1>");
  expect(markdownExport(sessionOf(prompt("look")))).toStartWith("# look\n");
});

test("an export has what was said and done, in order, without texts of the harness and without credentials", () => {
  const { parts } = sessionOf(
    prompt("look"),
    HARNESS,
    answer("I look.", { command: "echo hunter2" }),
    result("hunter2\n"),
    answer("Done."),
  );
  expect(parts.map((part) => [part.kind, "text" in part ? part.text : part.output])).toEqual([
    ["prompt", "look"],
    ["answer", "I look."],
    ["call", "[hidden]\n"],
    ["answer", "Done."],
  ]);
  expect(JSON.stringify(parts)).not.toContain("hunter2");
});

test("Markdown keeps a fence inside an output as text, and folds each call", () => {
  const text = markdownExport(
    sessionOf(prompt("look"), answer("", { command: "cat a" }), result("````\n</details>", true)),
  );
  expect(text).toContain("<details><summary>Bash cat a (failed)</summary>");
  expect(text).toContain("`````\n````\n</details>\n`````");
});

test("the page holds no HTML of the conversation, no script and no address that is loaded", async () => {
  const said =
    "<script>alert(1)</script>\n\n[x](javascript:alert) ![pic](https://e.example/p.png) [ok](https://e.example/)";
  const html = await htmlExport(
    sessionOf(prompt("<b>hi</b>"), answer(said, { command: "ls" }), result("<i>\u001b[31mred\u001b[0m")),
    undefined,
  );
  expect(html).not.toMatch(/<script|<b>hi|<img|<i>|javascript:/);
  expect(html).toContain('<a href="https://e.example/">ok</a>');
  expect(html).toContain("&lt;i&gt;red<");
  expect(html).toContain("&lt;b&gt;hi&lt;/b&gt;");
  expect(html).toContain("default-src 'none'");
});

test("the page has the colours of the theme, and code those of its language", async () => {
  const session = sessionOf(prompt("go"), answer("```ts\nconst a = '<i>';\n```\n\n```nothing\n<u>\n```"));
  const page = await htmlExport(session, {
    name: "mine",
    extends: "light",
    colors: { string: "#123456", number: 196 },
  });
  expect(page).toContain(
    `<span class="hljs-keyword">const</span> a = <span class="hljs-string">&#x27;&lt;i&gt;&#x27;</span>`,
  );
  expect(page).toContain("&lt;u&gt;");
  expect(page).toMatch(/--background: #ffffff;.*--accent: #7d5700;.*--string: #123456; --number: rgb\(255 0 0\);/);
  expect(page).not.toContain("prefers-color-scheme");
  const auto = await htmlExport(session, undefined);
  expect(auto).toMatch(/--background: #1a1a1a;.*\n@media \(prefers-color-scheme: light\).*--background: #ffffff;/);
});

test("code blocks are found in lists too, and keep their tabs", () => {
  expect(codeBlocksOf("a\n\n```ts\n\tlet x;\n```\n\n- b\n\n  ```\n  inner\n  ```\n")).toEqual(["\tlet x;", "inner"]);
});
