import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const ID = "11111111-1111-4111-8111-111111111111";
const ALLOWED = ["--allowed-tools", "Bash", "Edit", "Write"];

type Place = Awaited<ReturnType<typeof quollPlace>>;

/** Two prompts; the person changes a file after both. */
async function twoPrompts(): Promise<Place> {
  const place = await quollPlace({
    files: { "a.txt": "a\n", "mine.txt": "mine\n" },
    scenario: [
      reply([toolUse("Bash", { command: "echo one >> a.txt; echo one >> mine.txt" })]),
      reply("First."),
      reply([toolUse("Write", { file_path: "new.txt", content: "new\n" })]),
      reply("Second."),
      reply("Third."),
    ],
  });
  expect((await place.run(["-p", "first", "--session-id", ID, ...ALLOWED])).code).toBe(0);
  expect((await place.run(["-p", "second", "--resume", ID, ...ALLOWED])).code).toBe(0);
  writeFileSync(join(place.project.dir, "mine.txt"), "person\n");
  return place;
}

function files({ project }: Place) {
  const names = ["a.txt", "mine.txt", "new.txt"].filter((name) => existsSync(join(project.dir, name)));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(project.dir, name), "utf8")]));
}

async function json(place: Place, ...words: string[]) {
  const { out, err } = await place.run(["sessions", "rewind", ID, "--json", ...words]);
  return { ...JSON.parse(out), err };
}

test("sessions rewind lists prompts, says what it would do, and goes back in files and conversation", async () => {
  await using place = await twoPrompts();
  const path = (name: string) => join(place.project.dir, name);
  const listed = await place.run(["sessions", "rewind", ID]);
  expect(listed.out.split("\n").slice(0, 2)).toEqual([
    expect.stringMatching(/^ {3}1 {2}second {2}1 file \+1 · /),
    expect.stringMatching(/^ {3}2 {2}first {2}2 files \+2 · /),
  ]);
  const before = files(place);
  const wouldDo = await json(place, "--to", "2", "--dry-run");
  expect(wouldDo).toMatchObject({
    prompt: "first",
    isDryRun: true,
    restores: [{ path: path("a.txt") }],
    deletes: [{ path: path("new.txt") }],
    conflicts: [{ path: path("mine.txt"), reason: "it changed since" }],
  });
  expect(files(place)).toEqual(before);
  const done = await json(place, "--to", "2");
  expect(done).toMatchObject({
    restored: [path("a.txt")],
    deleted: [path("new.txt")],
    kept: [{ path: path("mine.txt") }],
  });
  expect(files(place)).toEqual({ "a.txt": "a\n", "mine.txt": "person\n" });
  await place.run(["-p", "go on", "--resume", ID]);
  const texts = JSON.stringify(place.sent().at(-1)?.messages);
  expect([texts.includes("first"), texts.includes("go on")]).toEqual([false, true]);
});

deepTest(
  "sessions rewind --files leaves the conversation, tells the model, and a resumed session takes it back",
  async () => {
    await using place = await twoPrompts();
    const before = files(place);
    const { code, out } = await place.run(["sessions", "rewind", ID, "--to", "1", "--files"]);
    expect([code, out.split("\n")[0]]).toEqual([0, 'Back before "second": 1 file deleted. /redo takes it back.']);
    expect(Object.keys(files(place))).toEqual(["a.txt", "mine.txt"]);
    expect((await place.run(["-p", "/redo", "--resume", ID])).code).toBe(0);
    expect(files(place)).toEqual(before);
    await place.run(["sessions", "rewind", ID, "--to", "1", "--files"]);
    await place.run(["-p", "go on", "--resume", ID]);
    const last = JSON.stringify(place.sent().at(-1)?.messages);
    expect(last).toContain("second");
    expect(last).toContain("set these files back");
  },
);

deepTest("a dry run says and ends as the rewind does, also for a prompt without a checkpoint", async () => {
  await using place = await quollPlace({ files: { "a.txt": "a\n" }, scenario: [reply("Only words.")] });
  await place.run(["-p", "first", "--session-id", ID]);
  const run = (...words: readonly string[]) => place.run(["sessions", "rewind", ID, "--to", "1", ...words]);
  const refused = await run("--files", "--dry-run");
  expect([refused.code, refused.err]).toEqual([1, (await run("--files")).err]);
  const would = await run("--dry-run");
  expect([would.code, would.out.match(/no checkpoint/g)?.length, would.err]).toEqual([0, 1, ""]);
  const { restores, deletes, notCovered } = await json(place, "--to", "1", "--dry-run");
  expect([restores, deletes, notCovered]).toEqual([[], [], [expect.stringContaining("no checkpoint")]]);
  const done = await run();
  expect([done.code, done.out.includes("the conversation"), done.out.includes("no checkpoint")]).toEqual([
    0,
    true,
    true,
  ]);
});

deepTest("sessions rewind refuses an unknown prompt and two scopes", async () => {
  await using place = await twoPrompts();
  const unknown = await place.run(["sessions", "rewind", ID, "--to", "7"]);
  expect([unknown.code, unknown.err.includes("There is no prompt 7")]).toEqual([1, true]);
  expect((await place.run(["sessions", "rewind", ID, "--to", "1", "--files", "--conversation"])).code).toBe(2);
});

deepTest("a file that a hook formats after each edit goes back without a conflict", async () => {
  const formatter =
    'f=$(sed \'s/.*"file_path":"\\([^"]*\\)".*/\\1/\'); tr a-z A-Z < "$f" > x.tmp && cat x.tmp > "$f"; rm x.tmp';
  const hooks = { PostToolUse: [{ matcher: "Edit|Write", hooks: [{ type: "command", command: formatter }] }] };
  await using place = await quollPlace({
    files: { "a.txt": "a\n" },
    scenario: [
      reply([toolUse("Write", { file_path: "new.txt", content: "new\n" })]),
      reply([toolUse("Bash", { command: "echo more >> new.txt" })]),
      reply("Done."),
    ],
  });
  const settings = JSON.stringify({ hooks });
  expect((await place.run(["-p", "first", "--session-id", ID, "--settings", settings, ...ALLOWED])).code).toBe(0);
  expect(files(place)).toEqual({ "a.txt": "a\n", "new.txt": "NEW\nmore\n" });
  const done = await json(place, "--to", "1");
  expect([done.conflicts ?? [], done.deleted]).toEqual([[], [join(place.project.dir, "new.txt")]]);
  expect(files(place)).toEqual({ "a.txt": "a\n" });
});
