import { expect, setDefaultTimeout, test } from "bun:test";
import { utimesSync } from "node:fs";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const ONE = "11111111-1111-4111-8111-111111111111";
const TWO = "22222222-2222-4222-8222-222222222222";

type Place = Awaited<ReturnType<typeof quollPlace>>;

/** The first session has a file of output, if it is asked for: a command takes as long as the start of the program. */
async function twoSessions({ hasOutput = false } = {}): Promise<Place> {
  const much = toolUse("Bash", { command: "seq 1 40000", description: "Much" });
  const place = await quollPlace({
    scenario: [...(hasOutput ? [reply([much])] : []), reply("Answer 1."), reply("Answer 2.")],
  });
  await place.run(["-p", "fix the cart", "--session-id", ONE, "--allowed-tools", "Bash(seq *)"]);
  await place.run(["-p", "write docs", "--session-id", TWO]);
  return place;
}

const saved = (place: Place) =>
  place.ownFiles().flatMap(([path]) => (/^data\/sessions\/.*\.(?:jsonl|txt)$/.test(path) ? [path] : []));

async function json(place: Place, ...words: string[]) {
  const { out } = await place.run(["sessions", ...words, "--json"]);
  return JSON.parse(out);
}

deepTest("sessions list, show, rename, pin and archive tell and change what is saved", async () => {
  await using place = await twoSessions({ hasOutput: true });
  const [second, first] = await json(place, "list");
  expect(first).toMatchObject({ id: ONE, title: "fix the cart", isNamed: false, prompts: 1, isOpen: false });
  expect(second).toMatchObject({ id: TWO, lastAnswer: "Answer 2.", isHeadless: true });
  const shown = await json(place, "show", "1111");
  expect(shown).toMatchObject({ id: ONE, file: expect.stringContaining(ONE), outputFiles: 1 });
  expect(shown.outputBytes).toBeGreaterThan(100_000);
  expect(await json(place, "rename", "write docs", "the", "guide")).toMatchObject({
    title: "the guide",
    isNamed: true,
  });
  expect(await json(place, "archive", "the guide")).toMatchObject({ isArchived: true });
  expect((await json(place, "list")).map(({ id }: { id: string }) => id)).toEqual([ONE]);
  expect(await json(place, "list", "--archived")).toHaveLength(2);
  expect(await json(place, "archive", "the guide", "--undo")).toMatchObject({ isArchived: false });
  await json(place, "pin", "1111");
  const { out } = await place.run(["sessions", "list"]);
  expect(out.split("\n").slice(0, 2)).toEqual([
    `11111111  fix the cart`,
    expect.stringMatching(/^ {10}.* · just now · 1 prompt · \$\d.* · pinned · headless$/),
  ]);
  expect((await place.run(["sessions", "show", "nothing"])).code).toBe(2);
});

test("sessions list has the conversations that /clear ended, and those of archived sessions only with --archived", async () => {
  await using place = await quollPlace({ scenario: () => reply("Yes.") });
  await place.run(["-p", "fix the cart", "--session-id", ONE]);
  await place.run(["-p", "/clear", "--continue"]);
  expect(await json(place, "list")).toMatchObject([{ id: ONE, title: "fix the cart" }]);
  await place.run(["-p", "write docs", "--continue"]);
  const [own, cleared] = await json(place, "list");
  expect([own, cleared]).toMatchObject([
    { id: ONE, title: "write docs" },
    { clearedFrom: ONE, title: "fix the cart", prompts: 1, isArchived: false },
  ]);
  const { out } = await place.run(["sessions", "list", "--all-projects"]);
  expect(out).toMatch(new RegExp(`^${cleared.id.slice(0, 8)}  fix the cart\n {10}.* · 1 prompt · before /clear$`, "m"));
  const shown = await place.run(["sessions", "show", cleared.id]);
  expect({ code: shown.code, names: shown.err.includes(ONE) }).toEqual({ code: 2, names: true });
  await json(place, "archive", "1111");
  expect(await json(place, "list")).toEqual([]);
  expect(await json(place, "list", "--archived")).toMatchObject([{ isArchived: true }, { isArchived: true }]);
});

deepTest(
  "sessions rm deletes a session with its output and what the indexes know, and says so before with --dry-run",
  async () => {
    await using place = await twoSessions({ hasOutput: true });
    await place.run(["sessions", "search", "cart"]);
    const before = saved(place);
    const planned = await json(place, "rm", "1111", "--dry-run");
    expect(planned).toEqual([
      {
        id: ONE,
        title: "fix the cart",
        deletes: true,
        logBytes: expect.any(Number),
        outputBytes: expect.any(Number),
        outputFiles: 1,
      },
    ]);
    expect(saved(place)).toEqual(before);
    const { out, code } = await place.run(["sessions", "rm", "fix the cart"]);
    expect({ code, said: /^deleted 1111\S* "fix the cart": log \(.*\), 1 file of output \(.*\), /.test(out) }).toEqual({
      code: 0,
      said: true,
    });
    expect(saved(place).filter((path) => path.includes(ONE))).toEqual([]);
    expect(saved(place).filter((path) => path.includes(TWO))).toHaveLength(1);
  },
);

test("sessions rm leaves a session that is pinned, archived or open, and names it", async () => {
  await using place = await twoSessions();
  await place.run(["sessions", "pin", "1111"]);
  const pinned = await place.run(["sessions", "rm", "1111"]);
  expect({ code: pinned.code, err: pinned.err }).toEqual({
    code: 1,
    err: `quoll: The session ${ONE} ("fix the cart") stays: it is pinned.\n`,
  });
  await using terminal = terminalProcess([...QUOLL, "--trust", "--resume", "2222"], {
    cwd: place.project.dir,
    env: place.environmentOf({}),
  });
  await terminal.shows("Answer 2.");
  const open = await place.run(["sessions", "rm", "2222"]);
  expect({ code: open.code, isOpen: open.err.includes("it is open") }).toEqual({ code: 1, isOpen: true });
  expect((await place.run(["sessions", "rename", "2222", "x"])).err).toContain("open in another Quoll");
  const continued = await place.run(["--resume", "2222", "-p", "hi"]);
  expect(continued.code).toBe(1);
  expect(continued.err).toMatch(
    /^quoll: The session "[^"]+" is open in another Quoll \(pid \d+\): .* --fork-session\.\n$/,
  );
  expect(continued.err).not.toMatch(/lock|2222\S{20}/);
  expect(await json(place, "list")).toHaveLength(2);
});

test("sessions prune deletes what the person's settings give up, in all projects, and nothing that a project's file asks for", async () => {
  await using place = await twoSessions();
  const log =
    place
      .ownFiles()
      .map(([path]) => path)
      .find((path) => path.startsWith("data/sessions/") && path.endsWith(`${ONE}.jsonl`)) ?? "";
  const longAgo = Date.now() / 1_000 - 40 * 24 * 60 * 60;
  utimesSync(place.home.path(`own/${log}`), longAgo, longAgo);
  await place.project.write(".quoll/settings.json", '{"sessions":{"keepDays":1,"maxDiskMb":1}}');
  const planned = await json(place, "prune", "--dry-run");
  expect(planned).toMatchObject({ isDryRun: true, sessions: [{ id: ONE, why: "age" }] });
  const { out } = await place.run(["sessions", "prune"]);
  expect(out).toContain("Deleted 1 session (");
  expect((await json(place, "list")).map(({ id }: { id: string }) => id)).toEqual([TWO]);
  expect((await place.run(["sessions", "prune"])).out).toBe("Nothing to delete.\n");
});
