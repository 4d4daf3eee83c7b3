import { expect, test } from "bun:test";
import { appendFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { promptHistory } from "../../src/platform/prompt-history.ts";
import { tempProject } from "../support/temp-project.ts";

test("inputs come back in order, with line breaks, from a private file", async () => {
  await using project = await tempProject();
  const file = project.path("state/history/p.jsonl");
  const history = promptHistory(file);
  expect(await history.load()).toEqual([]);
  for (const text of ["one", "two\nlines", '漢字 "quoted"']) await history.add(text);
  expect(await promptHistory(file).load()).toEqual(["one", "two\nlines", '漢字 "quoted"']);
  expect([file, project.path("state/history")].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o700]);
});

test("a torn line and what is no text cost only themselves", async () => {
  await using project = await tempProject({ "h.jsonl": '"one"\n{"a":1}\n"tw\n"three"\n"torn' });
  expect(await promptHistory(project.path("h.jsonl")).load()).toEqual(["one", "three"]);
});

test("an input after a torn line is kept", async () => {
  await using project = await tempProject({ "h.jsonl": '"one"\n"torn' });
  const history = promptHistory(project.path("h.jsonl"));
  await history.load();
  await history.add("two");
  expect(await history.load()).toEqual(["one", "two"]);
});

test("the newest thousand are given, and a file of more than twice as many is cut back", async () => {
  await using project = await tempProject();
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => `${JSON.stringify(`p${index}`)}\n`).join("");
  const file = await project.write("h.jsonl", lines(1_500));
  expect((await promptHistory(file).load()).at(0)).toBe("p500");
  expect(await project.read("h.jsonl")).toBe(lines(1_500));
  await project.write("h.jsonl", lines(2_001));
  const kept = await promptHistory(file).load();
  expect([kept.length, kept.at(0), kept.at(-1)]).toEqual([1_000, "p1001", "p2000"]);
  expect((await project.read("h.jsonl")).split("\n")).toHaveLength(1_001);
});

test("the prompts of other projects come newest first, the project that was used last first", async () => {
  await using project = await tempProject({
    "own.jsonl": '"own"\n',
    "a.jsonl": '"a1"\n"a2"\n',
    "b.jsonl": '"b1"\n"b2"\n',
    "notes.txt": '"no history"\n',
  });
  const at = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1_000);
  utimesSync(project.path("a.jsonl"), at(20), at(20));
  utimesSync(project.path("b.jsonl"), at(10), at(10));
  expect(await promptHistory(project.path("own.jsonl")).loadOthers()).toEqual(["a2", "a1", "b2", "b1"]);
  expect(await promptHistory(project.path("none/own.jsonl")).loadOthers()).toEqual([]);
});

test("processes that write at once lose nothing, also while the file is cut back", async () => {
  await using project = await tempProject();
  const old = Array.from({ length: 1_950 }, (_, index) => `${JSON.stringify(`old ${index}`)}\n`).join("");
  const file = await project.write("h.jsonl", old);
  const names = ["a", "b", "c", "d"];
  const count = 60;
  const writer = join(import.meta.dir, "history-writer.ts");
  const codes = await Promise.all(
    names.map((name) => Bun.spawn([process.execPath, writer, file, name, String(count)], { stdout: "ignore" }).exited),
  );
  expect(codes).toEqual([0, 0, 0, 0]);
  const kept = (await promptHistory(file).load()).map((text) => text.split(" ").slice(0, 2).join(" "));
  for (const name of names) {
    const own = kept.filter((text) => text.startsWith(`${name} `));
    expect(own).toEqual(Array.from({ length: count }, (_, at) => `${name} ${at}`));
  }
});

test("an input after a line that another process has torn is kept", async () => {
  await using project = await tempProject({ "h.jsonl": '"one"\n' });
  const history = promptHistory(project.path("h.jsonl"));
  await history.add("two");
  appendFileSync(project.path("h.jsonl"), '"torn');
  await history.add("three");
  expect(await history.load()).toEqual(["one", "two", "three"]);
});
