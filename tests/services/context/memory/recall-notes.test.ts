import { describe, expect, test } from "bun:test";
import { findRipgrep } from "../../../../src/platform/ripgrep.ts";
import { readMemory, type StoredNote } from "../../../../src/services/context/memory/memory-files.ts";
import { rankNotes } from "../../../../src/services/context/memory/rank-notes.ts";
import {
  MAX_RECALLED,
  missingPaths,
  namedThings,
  notesIn,
  recallNotes,
} from "../../../../src/services/context/memory/recall-notes.ts";
import { tempProject } from "../../../support/temp-project.ts";

const { signal } = new AbortController();
const ripgrep = () => findRipgrep({ environment: process.env, isTrusted: () => true });

function note(name: string, description: string, body = description): StoredNote {
  const file = `${name}.md`;
  return { ...{ file, name, description, body, text: body, path: `/n/${file}` }, type: "project", bytes: 1 };
}

const NOTES = [
  note("tests-with-bun", "Run the tests with bun, never with npm"),
  note(
    "release",
    "Releases are cut on Tuesdays",
    "Tag first, then publish. The changelog must name the invoice format.",
  ),
  note("database", "The staging database is read-only"),
  note("japanese", "請求書の書式は変えない"),
];
const names = (prompt: string) => rankNotes(prompt, NOTES).map(({ name }) => name);

describe("the ranking of notes", () => {
  test.each([
    ["please fix the failing tests", ["tests-with-bun"]],
    ["cut a new release", ["release"]],
    ["why is the staging database slow when tests run?", ["database", "tests-with-bun"]],
    ["add a button to the form", []],
    ["run the linter, never mind the rest", []],
    ["what can you do with this code", []],
    ["請求書を直して", ["japanese"]],
    ["", []],
  ])("%p finds %p", (prompt, found) => {
    expect([...names(prompt)].sort()).toEqual([...found].sort());
  });

  test("takes a note for words of its body only where several occur", () => {
    expect(names("the invoice")).toEqual([]);
    expect(names("publish the changelog with the invoice format")).toEqual(["release"]);
    expect(rankNotes("invoice", NOTES, { isLoose: true }).map(({ name }) => name)).toEqual(["release"]);
  });
});

describe("names in a note", () => {
  test("are paths and names of code, not words, addresses or packages", () => {
    const { paths, symbols } = namedThings(
      "See `src/a.ts` and src/old/b.ts, not and/or, https://x.org/src/c.ts or `@scope/pack`. Call `parseFile()` or `max_size`, not `main` or `Makefile`.",
    );
    expect(paths).toEqual(["src/a.ts", "src/old/b.ts"]);
    expect(symbols).toEqual(["parseFile", "max_size"]);
  });

  test("are missing only inside the project, below a folder that is there", async () => {
    await using project = await tempProject({ "src/a.ts": "" });
    const paths = ["src/a.ts", "src/b.ts", "lib/c.ts", "../outside/x.ts", "./src/d.ts"];
    expect(missingPaths(paths, project.dir)).toEqual(["src/b.ts", "./src/d.ts"]);
  });
});

describe("recall", () => {
  test("attaches at most five notes and says which names are gone", async () => {
    await using project = await tempProject({ "src/a.ts": "export function parseFile() {}\n" });
    const notes = Array.from({ length: 9 }, (_, at) =>
      note(`parser-${at}`, "About the parser", "Use `parseFile` and `parseOld` of `src/a.ts`, see `src/gone.ts`."),
    );
    const place = { projectRoot: project.dir, ripgrep };
    const recalled = await recallNotes("fix the parser", notes, place, signal);
    expect(recalled).toHaveLength(MAX_RECALLED);
    expect(recalled[0]?.text).toContain("not in the project any more: src/gone.ts, parseOld");
    expect(recalled[0]?.text).not.toMatch(/any more:.*parseFile/);
  });

  test("cuts a long note and says where the rest is", async () => {
    await using project = await tempProject();
    const [first] = await recallNotes(
      "the parser",
      [note("parser", "x", "y".repeat(9_000))],
      { projectRoot: project.dir, ripgrep },
      signal,
    );
    expect(first?.text.length).toBeLessThan(4_300);
    expect(first?.text).toContain("Read /n/parser.md");
  });

  test("finds the notes that a conversation holds by its messages", async () => {
    await using project = await tempProject({ "notes/a.md": "About the parser" });
    const { notes } = readMemory(project.path("notes"));
    const [one] = await recallNotes("about the parser", notes, { projectRoot: project.dir, ripgrep }, signal);
    const content = [{ type: "text", text: one?.text ?? "" } as const];
    expect(notesIn([{ role: "user", id: "u", content }])).toEqual(new Set(["a.md"]));
    const quoted = [{ type: "text", text: `I saw ${one?.text}` } as const];
    expect(notesIn([{ role: "user", id: "u", content: quoted }])).toEqual(new Set());
  });
});
