import { expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import type { EngineEvent } from "../../../../src/contracts/event.ts";
import { NO_USAGE } from "../../../../src/contracts/message.ts";
import type { KeyAction } from "../../../../src/faces/repl/keymap/key-actions.ts";
import { MarkdownRenderer } from "../../../../src/faces/repl/markdown/markdown-renderer.ts";
import { rowLines } from "../../../../src/faces/repl/view/row-lines.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { TranscriptViewer } from "../../../../src/faces/repl/viewer/transcript-viewer.ts";
import { addRow, reduce } from "../../../../src/protocol/transcript/reduce.ts";
import { emptyTranscript, type Transcript } from "../../../../src/protocol/transcript/transcript.ts";

const SIZE = { columns: 60, rows: 12 };
const prompt = (words: string): EngineEvent => ({
  type: "turn_started",
  message: { role: "user", id: words, content: [] },
  prompt: words,
});
const answer = (words: string): readonly EngineEvent[] => [
  { type: "text_delta", text: words },
  {
    type: "assistant_message",
    message: { role: "assistant", id: words, content: [], model: "m", usage: NO_USAGE } as never,
  },
];
const resultOf = (toolUseId: string, content: string) =>
  ({ type: "tool_result", toolUseId, content, isError: false }) as const;
const call = (id: string, name: string, title: string, content: string, rest: object = {}): readonly EngineEvent[] => [
  { type: "tool_started", use: { type: "tool_use", id, name, input: {} }, title, level: "execute" },
  {
    type: "tool_finished",
    result: resultOf(id, content),
    durationMs: 1,
    ...rest,
  },
];
const play = (events: readonly EngineEvent[], from: Transcript = emptyTranscript) =>
  events.reduce((state, event) => reduce(state, event, 0), from);

const twentyTurns = () =>
  Array.from({ length: 20 }, (_, at) => [prompt(`prompt ${at + 1}`), ...answer(`answer ${at + 1}`)]).flat();

/** A viewer on a transcript, with its screen as plain rows. */
async function viewing(start: Transcript, size = SIZE, theme = themeFor(0)) {
  const markdown = new MarkdownRenderer();
  await markdown.warm();
  const viewer = new TranscriptViewer(markdown, () => undefined);
  let transcript = start;
  let isSearching = false;
  const raw = () => viewer.frame({ transcript, theme, size, nowMs: 0, isSearching, isAsked: false, keys: [] }).lines;
  const screen = () => raw().map((line) => stripAnsi(line).trimEnd());
  raw();
  return {
    viewer,
    raw,
    screen,
    press(...names: readonly KeyAction[]) {
      for (const name of names) {
        viewer.perform(name);
        raw();
      }
      return screen();
    },
    search(words: string) {
      isSearching = true;
      viewer.perform("viewer.search");
      raw();
      for (const letter of words) {
        viewer.type(letter);
        raw();
      }
      const shown = screen();
      isSearching = false;
      return shown;
    },
    addEvents(...events: readonly EngineEvent[]) {
      transcript = play(events, transcript);
      return screen();
    },
  };
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`);
const turns = (count: number) =>
  play(Array.from({ length: count }, (_, at) => [prompt(`prompt ${at + 1}`), ...answer(`answer ${at + 1}`)]).flat());

test("the viewer opens at the end and holds every line of an output, of a read file and of a refused change", async () => {
  const hunk = { oldStart: 1, newStart: 1, lines: [{ kind: "added", text: "refused line" } as const] };
  const preview = { kind: "diff", path: "a.ts", isNew: true, hunks: [hunk] } as const;
  const display = { kind: "command", command: "seq", exitCode: 0, tail: [], totalLines: 300 } as const;
  const state = play([
    prompt("go"),
    ...call("1", "Bash", "seq 300", numbers(300).join("\n"), {
      display: { ...display, signal: undefined, timedOut: false },
    }),
    ...call("2", "Read", "b.ts", "read one\nread two"),
    {
      type: "tool_started",
      use: { type: "tool_use", id: "3", name: "Write", input: {} },
      title: "a.ts",
      level: "write",
    },
    { type: "question_settled", id: "q", toolUseId: "3", answer: { kind: "refused", preview, reason: "keep it" } },
    {
      type: "tool_finished",
      result: { type: "tool_result", toolUseId: "3", content: "x", isError: true },
      durationMs: 1,
    },
  ]);
  const { screen, press } = await viewing(state, { columns: 60, rows: 400 });
  expect(screen().at(-1)).toContain("end");
  const all = press("viewer.top").map((line) => line.trim());
  for (const line of [...numbers(300), "read two", "you said no: keep it", "1 + refused line"])
    expect({ line, isShown: all.some((one) => one.replace(/^▎ */, "") === line) }).toEqual({ line, isShown: true });
});

test("thinking is one line on the screen and whole in the viewer, where a search finds it", async () => {
  const row = { kind: "thinking", text: "a hidden thought", durationMs: 12_300 } as const;
  const state = addRow(play([prompt("go")]), row);
  const { screen, search } = await viewing(state);
  expect(screen().map((line) => line.replace(/^▎/, "").trim())).toContain("a hidden thought");
  expect(rowLines(row, undefined, { theme: themeFor(0), columns: 80, markdown: new MarkdownRenderer() })).toEqual([
    "· thought for 12s",
  ]);
  expect(search("hidden").at(-1)).not.toContain("not found");
});

test("keys scroll by lines and pages, never beyond an end, and jump from turn to turn", async () => {
  const { screen, press } = await viewing(turns(20));
  const end = screen();
  expect(end.slice(0, -1).at(-1)).toContain("answer 20");
  expect(press("viewer.lineDown")).toEqual(end);
  expect(press("viewer.lineUp").slice(1, -1)).toEqual(end.slice(0, -2).map(() => expect.any(String)));
  expect(press("viewer.top", "viewer.pageUp")[0]).toContain("› prompt 1");
  expect(press("viewer.nextTurn", "viewer.nextTurn")[0]).toContain("› prompt 3");
  expect(press("viewer.previousTurn")[0]).toContain("› prompt 2");
  expect(press("viewer.pageDown")[0]).not.toContain("› prompt 2");
  expect(press("viewer.bottom").slice(0, -1)).toEqual(end.slice(0, -1));
});

test("the end is followed while a turn runs; another place stays", async () => {
  const { press, addEvents } = await viewing(turns(20));
  expect(addEvents(prompt("more"), { type: "text_delta", text: "streams" }).at(-2)).toContain("streams");
  const before = press("viewer.top");
  expect(addEvents({ type: "text_delta", text: " on and on" }).slice(0, -1)).toEqual(before.slice(0, -1));
});

test("a search jumps while words are typed, marks them, and continues with n and N", async () => {
  const state = play([
    prompt("first needle"),
    ...answer("a **bold needle** here"),
    ...Array.from({ length: 30 }, (_, at) => [prompt(`p${at}`), ...answer("hay")]).flat(),
    prompt("last NEEDLE"),
  ]);
  const { search, press, raw, screen } = await viewing(state, SIZE, themeFor(1));
  press("viewer.top", "viewer.nextTurn");
  expect(search("bold nee").some((line) => line.includes("bold needle"))).toBe(true);
  expect(screen().some((line) => line.includes("bold needle"))).toBe(true);
  const theme = themeFor(1);
  const [open = "", close = ""] = theme.inverse(theme.accent(theme.strong(theme.underline("|")))).split("|");
  expect(raw().join("\n")).toContain(`${open}bold nee${close}`);
  search("needle");
  const shown = (...names: readonly KeyAction[]) => press(...names).find((line) => line.startsWith("▎"));
  const found = [shown("viewer.nextMatch"), shown("viewer.nextMatch"), shown("viewer.nextMatch")];
  expect(found).toEqual(["▎ ● a bold needle here", "▎ › last NEEDLE", "▎ › first needle"]);
  expect(shown("viewer.previousMatch")).toBe("▎ › last NEEDLE");
  expect(screen().at(-1)).toContain("3/3");
  press("viewer.previousMatch");
  expect(screen().at(-1)).toContain("2/3");
  expect(search("nowhere").at(-1)).toContain("not found");
});

test("the marked block is copied as it was written: code without its marks, an output without its head", async () => {
  const display = { kind: "command", command: "", exitCode: 0, signal: undefined, timedOut: false } as const;
  const code = numbers(40).join("\n");
  const state = play([
    prompt("go\non"),
    ...call("1", "Bash", "make", "cc x.c\nld", { display: { ...display, tail: [], totalLines: 2 } }),
    ...answer(`Some **prose**.\n\nMore.\n\n\`\`\`ts\n${code}\n\`\`\`\n\nThe end.`),
  ]);
  const { viewer, press } = await viewing(state, { columns: 60, rows: 100 });
  const copied: string[] = [viewer.copied];
  for (let step = 0; step < 4; step += 1) {
    press("viewer.previousBlock");
    copied.push(viewer.copied);
  }
  expect(copied).toEqual(["The end.", code, "Some **prose**.\n\nMore.", "cc x.c\nld", "go\non"]);
});

test("a transcript of 5,000 messages opens at once, since only what is seen is laid out", async () => {
  const state = turns(2_500);
  const markdown = new MarkdownRenderer();
  await markdown.warm();
  let laidOut = 0;
  const lines = markdown.lines.bind(markdown);
  markdown.lines = (...given) => {
    laidOut += 1;
    return lines(...given);
  };
  const viewer = new TranscriptViewer(markdown, () => undefined);
  const scene = { transcript: state, theme: themeFor(0), size: SIZE, nowMs: 0, isSearching: false, isAsked: false };
  expect(viewer.frame({ ...scene, keys: [] }).lines.join("\n")).toContain("answer 2500");
  expect(laidOut).toBeLessThan(20);
});

test("rows of a restored conversation from before the transcript stand above it, and are found", async () => {
  const earlier = play([prompt("the oldest question"), ...answer("The oldest answer.")]).settled.slice();
  const markdown = new MarkdownRenderer();
  await markdown.warm();
  const viewer = new TranscriptViewer(markdown, () => undefined, { earlier });
  const transcript = play([prompt("the newest question"), ...answer("The newest answer.")]);
  const scene = { transcript, theme: themeFor(0), size: SIZE, nowMs: 0, isSearching: false, isAsked: false, keys: [] };
  viewer.frame(scene);
  viewer.perform("viewer.top");
  const shown = viewer.frame(scene).lines.join("\n");
  expect(shown.indexOf("the oldest question")).toBeLessThan(shown.indexOf("the newest question"));
  expect(shown.match(/the oldest question|The oldest answer|the newest question/g)).toHaveLength(3);
});

test("the whole of a long output is asked for once, when it is shown, and keys work meanwhile", async () => {
  const markdown = new MarkdownRenderer();
  await markdown.warm();
  const asked: string[] = [];
  const viewer = new TranscriptViewer(markdown, () => undefined, { ask: (id) => asked.push(id) });
  const display = { kind: "command", command: "x", exitCode: 0, tail: [], totalLines: 9, signal: undefined } as const;
  const long = { display: { ...display, timedOut: false } };
  const output = numbers(3_000).join("\n");
  const shortened = "first\n[… 9 lines left out; all of it: /x/bash-1.log …]\nlast";
  const transcript = play([
    prompt("go"),
    ...call("old", "Bash", "seq 3000", output, long),
    prompt("more"),
    ...call("short", "Bash", "seq 9", "short output", long),
    ...call("gone", "Bash", "cat", shortened, { ...long, result: { ...resultOf("gone", shortened), wholeIn: "/x/b" } }),
  ]);
  const theme = themeFor(0);
  const screen = () => {
    const scene = { transcript, theme, size: SIZE, nowMs: 0, isSearching: false, isAsked: false, keys: [] };
    return viewer.frame(scene).lines.map(stripAnsi).join("\n");
  };
  expect(screen()).toContain("loading …");
  screen();
  expect(asked).toContain("gone");
  expect(asked).not.toContain("short");
  viewer.perform("viewer.top");
  expect(screen()).toContain("seq 3000");
  screen();
  expect(asked.filter((id) => id === "old")).toHaveLength(1);
  viewer.take("old", { output, notes: [] });
  viewer.take("gone", { notes: ["it is gone"] });
  expect(screen()).not.toContain("loading …");
  viewer.perform("viewer.search");
  viewer.type("line 2999");
  expect(screen()).toContain("line 2999");
  expect(viewer.copied).toBe(output);
  viewer.perform("viewer.bottom");
  expect(screen()).toContain("it is gone");
  expect(screen()).toContain("all of it: /x/bash-1.log");
});

test("a search finds a line of a long output that was never shown, once it is loaded", async () => {
  const markdown = new MarkdownRenderer();
  await markdown.warm();
  const asked: string[] = [];
  const viewer = new TranscriptViewer(markdown, () => undefined, { ask: (id) => asked.push(id) });
  const output = numbers(3_000).join("\n");
  const transcript = play([prompt("go"), ...call("old", "Read", "a.txt", output), ...twentyTurns()]);
  const scene = { transcript, theme: themeFor(0), size: SIZE, nowMs: 0, isSearching: true, isAsked: false, keys: [] };
  const screen = () => viewer.frame(scene).lines.map(stripAnsi).join("\n");
  screen();
  expect(asked).toEqual([]);
  viewer.perform("viewer.search");
  viewer.type("line 2999");
  expect(screen()).toContain("not found");
  expect(asked).toEqual(["old"]);
  viewer.take("old", { output, notes: [] });
  expect(screen()).toMatch(/line 2999\n/);
  expect(screen()).not.toContain("not found");
});

test("the calls of an agent stand under its call, a line each, and its answer below them", async () => {
  const markdown = new MarkdownRenderer();
  await markdown.warm();
  const viewer = new TranscriptViewer(markdown, () => undefined, { ask: () => undefined });
  const display = { kind: "summary", text: "2 calls" } as const;
  const transcript = play([prompt("go"), ...call("a", "Agent", "look around", "The answer.", { display })]);
  const scene = { transcript, theme: themeFor(0), size: SIZE, nowMs: 0, isSearching: false, isAsked: false, keys: [] };
  const screen = () => viewer.frame(scene).lines.map(stripAnsi).join("\n");
  expect(screen()).toContain("loading …");
  const read = { name: "Read", title: "src/a.ts", isError: false };
  viewer.take("a", { notes: [], calls: [read, { name: "Bash", title: "npm test", isError: true }] });
  expect(screen()).toMatch(/look around\n.*read +src\/a\.ts\n.*✗ \$ +npm test\n.*\n.*The answer\./);
  expect(viewer.copied).toContain("The answer.");
  expect(viewer.copied).not.toContain("npm test");
});
