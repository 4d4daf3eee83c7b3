import { expect, test } from "bun:test";
import { tempProject } from "../../../support/temp-project.ts";
import { failure, fileTools, runCall } from "../call-tool.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const notebookOf = (cells: readonly object[]) =>
  JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells }, null, 1);

const CELLS = [
  { cell_type: "markdown", id: "a", metadata: {}, source: ["# Sales\n", "by month"] },
  {
    cell_type: "code",
    id: "b",
    metadata: {},
    execution_count: 3,
    source: 'print("hi")\nplot()',
    outputs: [
      { output_type: "stream", name: "stdout", text: ["0 %\r50 %\r\u001b[32mhi\u001b[0m\n"] },
      { output_type: "display_data", metadata: {}, data: { "image/png": [`${PNG}\n`], "text/plain": ["<Figure>"] } },
      { output_type: "execute_result", metadata: {}, data: { "text/plain": "42", "text/html": "<b>42</b>" } },
      { output_type: "error", ename: "E", evalue: "no", traceback: ["\u001b[31mTraceback\u001b[0m", "E: no"] },
    ],
  },
];

test("a notebook is its cells with their outputs, and the images of outputs", async () => {
  await using project = await tempProject({ "a.ipynb": notebookOf(CELLS) });
  const { content, display } = await runCall(await fileTools(project.dir).prepare.read({ file_path: "a.ipynb" }));
  const [words, note, ...images] = typeof content === "string" ? [] : content;
  const lines = words?.type === "text" ? words.text.split("\n").map((line) => line.replace(/^ *\d+\t/, "")) : [];
  expect(lines).toEqual([
    ...["--- cell 1: markdown, id a ---", "# Sales", "by month"],
    ...["--- cell 2: code, run 3, id b ---", 'print("hi")', "plot()"],
    ...["--- stdout of cell 2 ---", "hi"],
    ...["--- output of cell 2 ---", "[image 1 below: image/png, 1×1 pixels]"],
    ...["--- output of cell 2 ---", "42", "[text/html: 9 characters]"],
    ...["--- error of cell 2 ---", "Traceback", "E: no"],
  ]);
  expect(JSON.stringify(note)).toContain("numbered for this view only");
  expect(images).toEqual([{ type: "image", mediaType: "image/png", data: PNG }]);
  expect(display).toEqual({ kind: "summary", text: "2 cells, 1 image" });
});

test("offset and limit count the lines of the cells, and the answer says how to continue", async () => {
  await using project = await tempProject({ "a.ipynb": notebookOf(CELLS) });
  const { read, prepare } = fileTools(project.dir);
  const { display } = await runCall(await prepare.read({ file_path: "a.ipynb", offset: 4, limit: 2 }));
  expect(display).toEqual({ kind: "summary", text: "2 of 16 lines, 2 cells" });
  const part = await read({ file_path: "a.ipynb", offset: 5, limit: 2 });
  expect(part).toStartWith('     5\tprint("hi")\n     6\tplot()\n[lines 5–6 of a file of 16 lines');
  expect(part).toContain("offset: 7]");
  expect(await read({ file_path: "a.ipynb", offset: 5, limit: 2 })).toContain("unchanged");
});

test("a notebook that was read can be edited by its JSON", async () => {
  await using project = await tempProject({ "a.ipynb": notebookOf(CELLS) });
  const { read, edit } = fileTools(project.dir);
  const change = { file_path: "a.ipynb", old_string: "by month", new_string: "by year" };
  expect(await failure(edit(change))).toContain("Read it first");
  await read("a.ipynb");
  await edit(change);
  expect(await read("a.ipynb")).toContain("by year");
});

test("an Edit that breaks a notebook's JSON says at which line, and one that finds nothing quotes no line again", async () => {
  const text = notebookOf(CELLS);
  await using project = await tempProject({ "a.ipynb": text });
  const { read, prepare } = fileTools(project.dir);
  await read("a.ipynb");
  const edit = async (old_string: string, new_string: string) => {
    const { content } = await runCall(await prepare.edit({ file_path: "a.ipynb", old_string, new_string }));
    return typeof content === "string" ? content : JSON.stringify(content);
  };
  const missing = await failure(edit('    "# Sales of a year\\n",', "x"));
  expect(missing).toContain("The nearest place is line");
  expect(missing).not.toContain("differs");
  expect(missing).toContain("\nNext: Change the source of a cell with NotebookEdit");
  const line = text.split("\n").findIndex((one) => one.includes("# Sales")) + 1;
  expect(await edit('"by month"', '"by month')).toEndWith(`\n[a.ipynb is no longer valid JSON: line ${line + 1}]`);
  expect(await edit('"# Sales', '"# All sales')).not.toContain("no longer valid");
  expect(await edit('"by month', '"by month"')).not.toContain("no longer valid");
});

/** Lines that are not alike, so that none is folded. */
const letters = (at: number) => [...String(at)].map((digit) => "abcdefghij"[Number(digit)]).join("");

test("of a long output both ends are shown, with the way to the rest, and then the next cell", async () => {
  const lines = Array.from({ length: 1_000 }, (_, at) => letters(at));
  const log = { output_type: "error", ename: "E", evalue: "", traceback: [...lines, "E: the cause"] };
  const cells = [{ ...CELLS[1], outputs: [log] }, CELLS[0]];
  await using project = await tempProject({ "a.ipynb": notebookOf(cells as object[]) });
  const shown = await fileTools(project.dir).read("a.ipynb");
  expect(shown).toMatch(/\tjj\n.*\[… 801 more lines; all of it: \.cells\[0\]\.outputs of the JSON\]\n.*\tjab\n/);
  expect(shown).toContain("E: the cause");
  expect(shown).toContain("by month");
});

test("lines of an output that repeat earlier ones are folded as in the output of a command", async () => {
  const steps = Array.from({ length: 500 }, (_, at) => `step ${at} of 500 done\n`).join("");
  const cells = [{ ...CELLS[1], outputs: [{ output_type: "stream", name: "stdout", text: `${steps}end\n` }] }];
  await using project = await tempProject({ "a.ipynb": notebookOf(cells as object[]) });
  const shown = await fileTools(project.dir).read("a.ipynb");
  expect(shown).toMatch(/step 0 .*\n.*lines like those above, with other numbers\]\n.*step 499 .*\n.*\tend/);
});

test("a file that is no notebook of the known format is shown as it is", async () => {
  await using project = await tempProject({ "a.ipynb": "not JSON\n", "b.ipynb": '{"nbformat": 3}\n' });
  const { read } = fileTools(project.dir);
  expect(await read("a.ipynb")).toBe("     1\tnot JSON");
  expect(await read("b.ipynb")).toBe('     1\t{"nbformat": 3}');
});
