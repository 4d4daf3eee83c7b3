import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { taskListFile } from "../../../src/services/task-list/task-list-file.ts";
import { deepTest } from "../../support/deep.ts";
import { linesOf } from "../../support/lines-of.ts";
import { tempProject } from "../../support/temp-project.ts";
import { failure } from "../tools/call-tool.ts";

setDefaultTimeout(120_000);

const WORKER = join(import.meta.dir, "list-process.ts");
const task = (subject: string) => ({ subject, description: `All about ${subject}` });

async function listIn() {
  const folder = await tempProject();
  const file = folder.path("lists/tasks.json");
  return { file, list: taskListFile(file), folder, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test("ids are never given twice, also after a task was deleted and the file was read again", async () => {
  await using here = await listIn();
  expect((await here.list.create(task("a"))).id).toBe("1");
  expect((await here.list.create(task("b"))).id).toBe("2");
  expect((await here.list.update("2", { status: "deleted" })).after).toBeUndefined();
  expect(await here.list.reserveId()).toBe("3");
  const again = taskListFile(here.file);
  expect((await again.create(task("c"))).id).toBe("4");
  expect((await again.list()).map(({ id }) => id)).toEqual(["1", "4"]);
  expect(await failure(again.update("2", { status: "completed" }))).toContain("There is no task 2");
});

test("dependencies are seen from both sides, and those that form a cycle are refused with its path", async () => {
  await using here = await listIn();
  const { list } = here;
  for (const subject of ["a", "b", "c"]) await list.create(task(subject));
  await list.update("1", { addBlocks: ["2"] });
  await list.update("3", { addBlockedBy: ["2"] });
  const edges = async () => (await list.list()).map(({ id, blocks, blockedBy }) => ({ id, blocks, blockedBy }));
  const before = await edges();
  expect(before).toEqual([
    { id: "1", blocks: ["2"], blockedBy: [] },
    { id: "2", blocks: ["3"], blockedBy: ["1"] },
    { id: "3", blocks: [], blockedBy: ["2"] },
  ]);
  expect(await failure(list.update("1", { addBlockedBy: ["3"] }))).toMatch(/1 → 3 → 2 → 1/);
  expect(await failure(list.update("1", { addBlocks: ["1"] }))).toContain("1 → 1");
  expect(await failure(list.update("1", { addBlocks: ["9"] }))).toContain("There is no task 9");
  expect(await edges()).toEqual(before);
  await list.update("2", { status: "deleted" });
  expect((await list.get("3"))?.blockedBy).toEqual([]);
});

test("a claimed task is refused to others until it is released, and a blocked task can't begin", async () => {
  await using here = await listIn();
  const { list } = here;
  await list.create(task("a"));
  await list.create(task("b"));
  await list.update("2", { addBlockedBy: ["1"] });
  await list.update("1", { owner: "a1", status: "in_progress", metadata: { step: 1, note: "x" } });
  expect(await failure(list.update("1", { owner: "a2" }))).toContain("belongs to a1");
  expect(await failure(list.update("2", { owner: "a2", status: "in_progress" }))).toContain("waits for 1");
  expect((await list.get("2"))?.owner).toBeUndefined();
  await list.update("1", { owner: "", metadata: { note: null } });
  await list.update("1", { owner: "a2", status: "completed" });
  expect(await list.get("1")).toEqual({
    ...{ ...task("a"), id: "1", status: "completed", owner: "a2", blocks: ["2"], blockedBy: [] },
    metadata: { step: 1 },
  });
  expect((await list.update("2", { owner: "a1", status: "in_progress" })).after?.status).toBe("in_progress");
});

test("a list that is damaged, or that the disk has no room for, is refused in one line and stays as it was", async () => {
  await using here = await listIn();
  await here.list.create(task("a"));
  const before = await Bun.file(here.file).text();
  // The limit on the size of files stands for a full disk: the write of the larger list fails.
  const script = `trap '' XFSZ; ulimit -f 1; exec "$0" "$@"`;
  const large = { subject: "large", description: "x".repeat(9_000) };
  const code = `import { taskListFile } from ${JSON.stringify(join(import.meta.dir, "../../../src/services/task-list/task-list-file.ts"))};
    await taskListFile(${JSON.stringify(here.file)}).create(${JSON.stringify(large)}).catch((e) => console.log(e.name + ": " + e.message));`;
  const child = Bun.spawn(["bash", "-c", script, process.execPath, "-e", code], { stdout: "pipe", stdin: "ignore" });
  const said = await new Response(child.stdout).text();
  expect(said).toMatch(/^ToolFailedError: The task list can't be used.*could not be written.*\n$/);
  expect(await Bun.file(here.file).text()).toBe(before);
  expect(readdirSync(join(here.file, ".."))).toEqual(["tasks.json"]);
  await Bun.write(here.file, "{");
  expect(await failure(here.list.create(task("b")))).toContain("is not a list of tasks");
  expect(await Bun.file(here.file).text()).toBe("{");
});

/** Runs processes side by side. @returns the ids that they printed. */
async function race(file: string, processes: number, operations: number): Promise<readonly string[]> {
  const start = (name: number) =>
    Bun.spawn([process.execPath, WORKER, file, `p${name}`, String(operations)], { stdout: "pipe", stdin: "ignore" });
  const children = Array.from({ length: processes }, (_, name) => start(name));
  const outs = await Promise.all(children.map(({ stdout }) => new Response(stdout).text()));
  expect(await Promise.all(children.map(({ exited }) => exited))).toEqual(children.map(() => 0));
  return outs.flatMap((out) => out.trim().split("\n"));
}

async function expectNoneLost(processes: number, operations: number): Promise<void> {
  await using here = await listIn();
  const ids = await race(here.file, processes, operations);
  const tasks = await here.list.list();
  const count = (processes * operations) / 2;
  expect(new Set(ids).size).toBe(count);
  expect(tasks.map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect(tasks.filter(({ owner, subject }) => subject.startsWith(`${owner}-`))).toHaveLength(count);
}

test("24 operations by 3 processes: no lost update, no id twice", () => expectNoneLost(3, 8));
deepTest("1,000 operations by 8 processes: no lost update, no id twice", () => expectNoneLost(8, 126));

test("kill -9 in the middle of changes loses nothing that was answered, and the lock is taken over", async () => {
  await using here = await listIn();
  const child = Bun.spawn([process.execPath, WORKER, here.file, "p", "100000"], { stdout: "pipe", stdin: "ignore" });
  let out = "";
  for await (const chunk of child.stdout) {
    out += Buffer.from(chunk).toString();
    if (linesOf(out).length >= 10) child.kill("SIGKILL");
  }
  await child.exited;
  const answered = linesOf(out);
  const ids = (await here.list.list()).map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(answered));
  const { id } = await here.list.create(task("next"));
  expect(ids).not.toContain(id);
});
