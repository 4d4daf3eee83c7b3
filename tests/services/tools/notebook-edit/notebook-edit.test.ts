import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Display } from "../../../../src/contracts/display.ts";
import { notebookEditTool } from "../../../../src/services/tools/notebook-edit/notebook-edit.ts";
import { readTool } from "../../../../src/services/tools/read/read.ts";
import { ReadTracker } from "../../../../src/services/tools/read-tracker.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { testDocuments } from "../../../support/test-documents.ts";
import { toolContext } from "../../../support/tool-context.ts";
import { failure, runCall } from "../call-tool.ts";

const NOTEBOOK = readFileSync(join(import.meta.dir, "notebooks/nbconvert.ipynb"), "utf8");

async function stage(text = NOTEBOOK) {
  const project = await tempProject({ "n.ipynb": text });
  const deps = { home: homedir(), tracker: new ReadTracker(), isHidden: () => false, documents: testDocuments };
  const context = () => toolContext({ cwd: project.dir, signal: new AbortController().signal });
  const [read, edit] = [readTool(deps), notebookEditTool(deps)];
  return {
    project,
    text: () => readFileSync(project.path("n.ipynb"), "utf8"),
    read: async () => runCall(await read.prepare({ file_path: "n.ipynb" }, context())),
    prepare: (input: Readonly<Record<string, unknown>>) =>
      edit.prepare({ notebook_path: "n.ipynb", ...input }, context()),
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  };
}

test("a cell is changed by the id that Read showed, and the diff has only its lines", async () => {
  await using one = await stage();
  expect(JSON.stringify((await one.read()).content)).toContain("cell 2: code, run 1, id cell1aa");
  const call = await one.prepare({ cell_id: "cell1aa", new_source: "import math\n\nmath.tau" });
  expect([call.level, call.title, call.subjects]).toMatchObject([
    "write",
    "n.ipynb: replace code cell 2 (id cell1aa)",
    [{ action: "write" }],
  ]);
  const { content } = await runCall(call);
  expect(content).toContain("cell 2 (id cell1aa)");
  expect(content).toContain("outputs are those of the earlier source");
  const [before, after] = [NOTEBOOK.split("\n"), one.text().split("\n")];
  expect(before.filter((line) => !after.includes(line)).every((line) => /math|def area|print/.test(line))).toBe(true);
  const next = await one.prepare({ edit_mode: "delete", cell_id: "1" });
  expect((await runCall(next)).content).toContain("Deleted cell 1");
});

test("a notebook that was not read, or changed since, must be read first", async () => {
  await using one = await stage();
  const change = () => one.prepare({ cell_id: "1", new_source: "x" });
  expect(await failure(change())).toContain("was not read");
  await one.read();
  const call = await change();
  writeFileSync(one.project.path("n.ipynb"), `${NOTEBOOK} `);
  expect(await failure(runCall(call))).toContain("changed since");
});

test("the answer shows the changed lines of the cell, in Read's format", async () => {
  await using one = await stage(JSON.stringify(SMALL, null, 1));
  await one.read();
  const { content } = await runCall(await one.prepare({ cell_id: "c2", new_source: "x = 2\nprint(x)" }));
  expect(content).toContain("\n     1\tx = 2\n     2\tprint(x)");
});

test("the bytes before and after the cell stay, a mark of the byte order too", async () => {
  await using one = await stage(`\ufeff${NOTEBOOK}`);
  await one.read();
  await runCall(await one.prepare({ cell_id: "1", new_source: "new" }));
  expect(one.text().startsWith("\ufeff{")).toBe(true);
  expect(one.text().endsWith(NOTEBOOK.slice(-200))).toBe(true);
});

test("missing fields are named", async () => {
  await using one = await stage();
  await one.read();
  expect(await failure(one.prepare({ new_source: "x" }))).toContain("cell_id is missing");
  expect(await failure(one.prepare({ edit_mode: "delete" }))).toContain("cell_id is missing");
  expect(await failure(one.prepare({ cell_id: "1" }))).toContain("new_source is missing");
  expect(await failure(one.prepare({ cell_id: "9", new_source: "x" }))).toContain("no cell 9");
});

const cellOf = (id: string, type: string, source: readonly string[]) => ({
  ...{ cell_type: type, id, metadata: {}, source },
  ...(type === "code" && { execution_count: 1, outputs: [{ output_type: "stream", name: "stdout", text: ["1\n"] }] }),
});
const CELLS = [cellOf("c1", "markdown", ["# Title"]), cellOf("c2", "code", ["x = 1\n", "print(x)"])];
const SMALL = { cells: CELLS, metadata: {}, nbformat: 4, nbformat_minor: 5 };
const CHANGES = [
  [{ cell_id: "c2", new_source: "x = 2\nprint(x)" }, "replace code cell 2 (id c2)", ["-x = 1", "+x = 2", " print(x)"]],
  [{ cell_id: "1", new_source: "# Title", cell_type: "raw" }, "replace markdown cell 1 (id c1) by raw", []],
  [
    { edit_mode: "insert", cell_id: "1", new_source: "## More\n", cell_type: "markdown" },
    "insert markdown cell after 1",
    ["+## More"],
  ],
  [{ edit_mode: "insert", new_source: "a = 1" }, "insert code cell at the top", ["+a = 1"]],
  [{ edit_mode: "delete", cell_id: "2" }, "delete code cell 2 (id c2)", ["-x = 1", "-print(x)"]],
] as const;
const MARKS = { same: " ", added: "+", removed: "-" } as const;

for (const [input, title, lines] of CHANGES)
  for (const indent of [1, undefined])
    test(`"${title}" names the change and shows the source, in a file ${indent ? "of lines" : "of one line"}`, async () => {
      await using one = await stage(JSON.stringify(SMALL, null, indent));
      await one.read();
      const call = await one.prepare(input);
      const linesOf = (shown: { readonly kind: string } | undefined) =>
        (shown as Extract<Display, { kind: "diff" }>).hunks.flatMap((hunk) =>
          hunk.lines.map(({ kind, text }) => `${MARKS[kind]}${text}`),
        );
      expect([call.title, linesOf(call.preview)]).toEqual([`n.ipynb: ${title}`, [...lines]]);
      const { display } = await runCall(call);
      expect(linesOf(display)).toEqual([...lines]);
    });
