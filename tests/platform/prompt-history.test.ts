import { describe, expect, test } from "bun:test";
import { appendFileSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { promptHistory } from "../../src/platform/prompt-history.ts";
import { deepTest } from "../support/deep.ts";
import { tempProject } from "../support/temp-project.ts";

const texts = async (history: ReturnType<typeof promptHistory>) => (await history.load()).map(({ text }) => text);

test("inputs come back in order, with line breaks, from a private file", async () => {
  await using project = await tempProject();
  const file = project.path("state/history/p.jsonl");
  const history = promptHistory(file);
  expect(await texts(history)).toEqual([]);
  for (const text of ["one", "two\nlines", '漢字 "quoted"']) await history.add(text);
  expect(await texts(promptHistory(file))).toEqual(["one", "two\nlines", '漢字 "quoted"']);
  expect([file, project.path("state/history")].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o700]);
});

test("a torn line and what is no text cost only themselves", async () => {
  await using project = await tempProject({ "h.jsonl": '"one"\n{"a":1}\n"tw\n"three"\n"torn' });
  expect(await texts(promptHistory(project.path("h.jsonl")))).toEqual(["one", "three"]);
});

test("an input after a torn line is kept", async () => {
  await using project = await tempProject({ "h.jsonl": '"one"\n"torn' });
  const history = promptHistory(project.path("h.jsonl"));
  await history.load();
  await history.add("two");
  expect(await texts(history)).toEqual(["one", "two"]);
});

test("the newest thousand are given, and a file of more than twice as many is cut back", async () => {
  await using project = await tempProject();
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => `${JSON.stringify(`p${index}`)}\n`).join("");
  const file = await project.write("h.jsonl", lines(1_500));
  expect((await texts(promptHistory(file))).at(0)).toBe("p500");
  expect(await project.read("h.jsonl")).toBe(lines(1_500));
  await project.write("h.jsonl", lines(2_001));
  const kept = await texts(promptHistory(file));
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

deepTest("processes that write at once lose nothing, also while the file is cut back", async () => {
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
  const kept = (await texts(promptHistory(file))).map((text) => text.split(" ").slice(0, 2).join(" "));
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
  expect(await texts(history)).toEqual(["one", "two", "three"]);
});

describe("a prompt with large pastes", () => {
  const FOLDED = {
    text: "look at [pasted 400 lines] now",
    pastes: new Map([["[pasted 400 lines]", "long\n".repeat(400)]]),
  };
  const LOST = "look at [pasted 400 lines, not kept] now";

  async function place() {
    const project = await tempProject();
    const [file, folder] = [project.path("h.jsonl"), project.path("sessions")];
    const open = (sessionId = "one") => promptHistory(file, { folder, sessionId });
    return { project, file, folder, open, [Symbol.asyncDispose]: () => project[Symbol.asyncDispose]() };
  }

  test("comes back whole in another session of the project, from private files", async () => {
    await using at = await place();
    await at.open().add(LOST, FOLDED);
    await at.open().add(LOST, FOLDED);
    expect(await at.open("two").load()).toEqual([FOLDED, FOLDED]);
    const [folder] = [join(at.folder, "one/pastes")];
    expect(readdirSync(folder)).toHaveLength(1);
    const [name = ""] = readdirSync(folder);
    expect([folder, join(folder, name)].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
    expect(await at.project.read("h.jsonl")).not.toContain("long");
  });

  test("loses its pastes with its session, and keeps them with others", async () => {
    await using at = await place();
    await at.open("one").add(LOST, FOLDED);
    await at.open("two").add(LOST, { ...FOLDED, pastes: new Map([["[pasted 400 lines]", "other"]]) });
    rmSync(join(at.folder, "one"), { recursive: true });
    const found = await at.open("three").load();
    expect(found.map(({ text, pastes }) => [text, [...(pastes ?? [])]])).toEqual([
      [FOLDED.text, []],
      [FOLDED.text, [["[pasted 400 lines]", "other"]]],
    ]);
  });

  test("says that its pastes are lost where nothing can be saved", async () => {
    await using at = await place();
    await promptHistory(at.file).add(LOST, FOLDED);
    await at.project.write("sessions", "a file in the way");
    await at.open().add(LOST, FOLDED);
    expect(await texts(at.open())).toEqual([LOST, LOST]);
  });

  test("never reads a file outside the folders of sessions", async () => {
    await using at = await place();
    await at.project.write("secret.txt", "secret");
    for (const path of ["../secret.txt", "one/pastes/../../../secret.txt", "/etc/passwd"])
      appendFileSync(
        at.file,
        `${JSON.stringify({ text: "x [pasted 9 lines]", pastes: { "[pasted 9 lines]": path } })}\n`,
      );
    expect((await at.open().load()).map(({ pastes }) => pastes?.size)).toEqual([0, 0, 0]);
  });

  test("beyond eight megabytes, the newest pastes are read", async () => {
    await using at = await place();
    for (let count = 1; count <= 3; count += 1)
      await at.open().add(LOST, { ...FOLDED, pastes: new Map([["[pasted 400 lines]", `${count}`.repeat(4_000_000)]]) });
    expect((await at.open().load()).map(({ pastes }) => pastes?.size)).toEqual([0, 1, 1]);
  });
});
