import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { reply, type Scenario, toolUse } from "@quoll/model-twin/scenario";
import { tryLock } from "../../src/platform/lock-file.ts";
import { ROOT } from "../support/built.ts";
import { deepTest } from "../support/deep.ts";
import { eventually } from "../support/eventually.ts";
import { quollPlace, resultsIn, type SentBody } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const ID = "11111111-1111-4111-8111-111111111111";
const ALLOWED = ["--allowed-tools", "Bash", "Edit", "Write", "Agent", "EnterWorktree"];
const append = (line: string) => reply([toolUse("Bash", { command: `echo ${line} >> a.txt` })]);

type Point = {
  readonly text: string;
  readonly messageId: string;
  readonly files: readonly { readonly path: string }[];
};

async function sessionPlace(scenario: Scenario) {
  const place = await quollPlace({ files: { "a.txt": "a\n" }, scenario });
  const git = (...args: readonly string[]) =>
    Bun.spawnSync(["git", ...args], { cwd: place.project.dir, env: place.environmentOf({}) });
  git("add", "-A");
  git("commit", "-q", "-m", "one");
  let isNew = true;
  return {
    ...place,
    a: () => readFileSync(place.project.path("a.txt"), "utf8"),
    async say(prompt: string, ...more: readonly string[]) {
      const session = isNew ? "--session-id" : "--resume";
      isNew = false;
      const ended = await place.run(["-p", prompt, session, ID, ...more, ...ALLOWED]);
      expect({ code: ended.code, err: ended.code === 0 ? "" : ended.err }).toEqual({ code: 0, err: "" });
      return ended;
    },
    async points(id = ID): Promise<readonly Point[]> {
      return JSON.parse((await place.run(["sessions", "rewind", id, "--json"])).out);
    },
    async back(to: number, ...more: readonly string[]) {
      const { code, out, err } = await place.run(["sessions", "rewind", ID, "--to", String(to), "--json", ...more]);
      expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
      return JSON.parse(out);
    },
    worktrees: () => {
      const all = join(place.home.dir, "own/data/worktrees");
      const names = existsSync(all) ? readdirSync(all) : [];
      return names.flatMap((name) => readdirSync(join(all, name)).map((one) => join(all, name, one)));
    },
    lastRequest: () => JSON.stringify(place.sent().at(-1)?.messages),
  };
}

deepTest("a rewind goes back over a compaction, another model and other processes", async () => {
  await using place = await sessionPlace(({ body }) => {
    const last = JSON.stringify((body as SentBody).messages.at(-1));
    if (last.includes("<summary>")) return reply("<summary>\n## Goal\nThe gist.\n## Next step\nGo on.\n</summary>");
    if (last.includes("tool_result") || last.includes("filler")) return reply("word ".repeat(500));
    return last.includes("the second prompt") ? append("two") : append("one");
  });
  await place.say("the first prompt");
  await place.say("filler");
  await place.say("filler");
  const compacted = await place.say("/compact");
  expect({ out: compacted.out, kinds: place.sessionEntries().map(({ kind }) => kind) }).toMatchObject({
    kinds: expect.arrayContaining(["compacted"]),
  });
  await place.say("the second prompt", "--model", "claude-haiku-4-5");
  expect(await place.points()).toHaveLength(4);
  await place.back(1, "--files");
  expect(place.a()).toBe("a\none\n");
  await place.back(4);
  expect(place.a()).toBe("a\n");
  expect((await place.say("/redo")).out).toContain("Rewind taken back");
  expect(place.a()).toBe("a\none\n");
  await place.say("and now");
  const again = place.lastRequest();
  expect(["The gist", "the second prompt"].map((words) => again.includes(words))).toEqual([true, true]);
  await place.back(5);
  await place.say("something else");
  const sent = place.lastRequest();
  expect(["the first prompt", "The gist", "something else"].map((words) => sent.includes(words))).toEqual([
    ...[false, false, true],
  ]);
});

deepTest("prompts before a /clear are not offered, and a prompt after it goes back to its own moment", async () => {
  await using place = await sessionPlace([append("one"), reply("First."), append("two"), reply("Second.")]);
  await place.say("before");
  await place.say("/clear");
  await place.say("after");
  expect((await place.points()).map(({ text }) => text)).toEqual(["after"]);
  await place.back(1);
  expect(place.a()).toBe("a\none\n");
});

deepTest("a prompt of a run that wrote nothing goes back too: the conversation, and no file", async () => {
  await using place = await sessionPlace([append("one"), reply("First."), reply("Words."), reply("New.")]);
  await place.say("the first prompt");
  await place.say("the second prompt");
  expect((await place.back(1)).notUndone).toEqual([expect.stringContaining("no checkpoint")]);
  await place.say("something else");
  const sent = place.lastRequest();
  expect([sent.includes("the first prompt"), sent.includes("the second prompt"), place.a()]).toEqual([
    ...[true, false, "a\none\n"],
  ]);
});

deepTest("a redo after a /clear brings the files back, and leaves the conversation empty", async () => {
  await using place = await sessionPlace([append("one"), reply("First."), reply("New.")]);
  await place.say("the walrus");
  await place.back(1);
  await place.say("/clear");
  expect(place.a()).toBe("a\n");
  expect((await place.say("/redo")).out).toContain("1 file restored");
  expect(place.a()).toBe("a\none\n");
  await place.say("after");
  expect([place.lastRequest().includes("walrus"), place.refused()]).toEqual([false, []]);
});

deepTest(
  "a rewind goes back over MCP servers that come and go, and each request fits the tools of its time",
  async () => {
    const server = join(ROOT, "tests/services/mcp/servers/feature-server.ts");
    const config = JSON.stringify({ mcpServers: { shop: { command: process.execPath, args: [server] } } });
    const shop = ["--mcp-config", config, "--allowed-tools", "mcp__shop"];
    const called = (line: string) =>
      reply([toolUse("mcp__shop__announce"), toolUse("Bash", { command: `echo ${line} >> a.txt` })]);
    await using place = await sessionPlace([
      ...[called("one"), reply("First."), append("two"), reply("Second."), called("three"), reply("Third.")],
      ...[reply([toolUse("mcp__shop__announce")]), reply("Without."), reply("With.")],
    ]);
    await place.say("with the server", ...shop);
    await place.say("without the server");
    await place.say("with it again", ...shop);
    expect(place.a()).toBe("a\none\ntwo\nthree\n");
    await place.back(2);
    expect(place.a()).toBe("a\none\n");
    await place.say("it is gone");
    // The declarations stay, so that the provider's cache does; a call says that the server is gone.
    expect(resultsIn(place.sent().at(-1)).at(-1)).toContain("shop");
    await place.back(1);
    await place.say("it is back", ...shop);
    expect(place.refused()).toEqual([]);
    const asked = place.lastRequest();
    expect(["with the server", "without the server", "it is gone"].map((words) => asked.includes(words))).toEqual([
      ...[true, false, false],
    ]);
    await place.back(2);
    expect(place.a()).toBe("a\n");
  },
);

test("a fork goes back by the checkpoints of its parent, which keeps its own", async () => {
  await using place = await sessionPlace([append("one"), reply("First."), reply("In the fork.")]);
  await place.say("the first prompt");
  const fork = "22222222-2222-4222-8222-222222222222";
  const forked = await place.run(["-p", "on", "--resume", ID, "--fork-session", "--session-id", fork, ...ALLOWED]);
  expect(forked.code).toBe(0);
  expect((await place.points(fork)).map(({ text, files }) => [text, files.length])).toEqual([
    ["on", 0],
    ["the first prompt", 1],
  ]);
  const { code } = await place.run(["sessions", "rewind", fork, "--to", "2"]);
  expect([code, place.a()]).toEqual([0, "a\n"]);
  expect((await place.points()).map(({ text }) => text)).toEqual(["the first prompt"]);
  expect(await place.back(1, "--dry-run")).toMatchObject({ restores: [], conflicts: [] });
});

describe("worktrees", () => {
  deepTest("what an isolated agent changed in its worktree is undone there", async () => {
    const isChild = (body: unknown) => JSON.stringify(body).includes("Change it in the worktree.");
    let childSteps = 0;
    await using place = await sessionPlace(({ body }, index) => {
      if (index === 0)
        return reply([
          toolUse("Agent", { description: "a change", prompt: "Change it in the worktree.", isolation: "worktree" }),
        ]);
      if (!isChild(body) || JSON.stringify(body).includes("the first prompt")) return reply("Done.");
      childSteps += 1;
      return childSteps === 1
        ? reply([
            toolUse("Bash", { command: "echo agent >> a.txt" }),
            toolUse("Write", { file_path: "new.txt", content: "new\n" }),
          ])
        : reply("Changed.");
    });
    await place.say("the first prompt");
    const [worktree = ""] = place.worktrees();
    const inside = (name: string) => readFileSync(join(worktree, name), "utf8");
    expect([inside("a.txt"), inside("new.txt"), place.a()]).toEqual(["a\nagent\n", "new\n", "a\n"]);
    await place.back(1);
    expect([inside("a.txt"), existsSync(join(worktree, "new.txt")), place.a()]).toEqual(["a\n", false, "a\n"]);
    expect((await place.say("/redo")).out).toContain("Rewind taken back: 2 files restored.");
    expect([inside("a.txt"), inside("new.txt"), place.a()]).toEqual(["a\nagent\n", "new\n", "a\n"]);
    rmSync(worktree, { recursive: true });
    expect((await place.back(1)).kept).toEqual([{ path: join(worktree, "a.txt"), reason: "it changed since" }]);
    expect(existsSync(worktree)).toBe(false);
  });

  deepTest("a redo takes the conversation back into the worktree that it had entered", async () => {
    await using place = await sessionPlace([
      ...[append("one"), reply("First.")],
      ...[reply([toolUse("EnterWorktree", { name: "fix" })]), append("two"), reply("Second.")],
      ...[reply([toolUse("Bash", { command: "pwd" })]), reply("Here.")],
    ]);
    await place.say("in the checkout");
    await place.say("in a worktree");
    const [worktree = ""] = place.worktrees();
    const inside = () => readFileSync(join(worktree, "a.txt"), "utf8");
    expect([inside(), place.a()]).toEqual(["a\ntwo\n", "a\none\n"]);
    await place.back(1);
    expect([inside(), place.a()]).toEqual(["a\n", "a\none\n"]);
    expect((await place.say("/redo")).out).toContain("1 file restored");
    expect([inside(), place.a()]).toEqual(["a\ntwo\n", "a\none\n"]);
    await place.say("where");
    expect(resultsIn(place.sent().at(-1)).at(-1)).toContain(`${worktree}\n`);
  });

  deepTest(
    "what a conversation changed in the worktree that it entered is undone there, also after a resume",
    async () => {
      await using place = await sessionPlace([
        ...[reply([toolUse("EnterWorktree", { name: "fix" })]), append("one"), reply("First.")],
        ...[append("two"), reply("Second.")],
        ...[reply([toolUse("Bash", { command: "pwd" })]), reply("Here.")],
      ]);
      await place.say("work in a worktree");
      const [worktree = ""] = place.worktrees();
      await place.say("the second prompt");
      const inside = () => readFileSync(join(worktree, "a.txt"), "utf8");
      expect([inside(), place.a()]).toEqual(["a\none\ntwo\n", "a\n"]);
      await place.back(1);
      expect(inside()).toBe("a\none\n");
      await place.back(1);
      expect([inside(), place.a()]).toEqual(["a\n", "a\n"]);
      await place.say("where");
      expect(resultsIn(place.sent().at(-1))).toEqual([expect.stringContaining(`${place.project.dir}\n`)]);
    },
  );
});

deepTest("a conversation that goes back to before it entered a worktree works in the checkout again", async () => {
  await using place = await sessionPlace([
    ...[reply([toolUse("EnterWorktree", { name: "fix" })]), append("one"), reply("First.")],
    ...[reply([toolUse("Bash", { command: "pwd" })]), reply("Here.")],
  ]);
  const said = ["work in a worktree", "/rewind 1 both", "where"].map((content) =>
    JSON.stringify({ type: "user", message: { role: "user", content } }),
  );
  const stream = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const { code } = await place.run([...stream, ...ALLOWED], { stdin: said.join("\n") });
  expect([code, ...resultsIn(place.sent().at(-1))]).toEqual([0, expect.stringContaining(`${place.project.dir}\n`)]);
});

deepTest("a session that ran in the background goes back when it has ended, and is refused before", async () => {
  await using place = await sessionPlace([append("one"), reply("First.")]);
  const started = await place.run(["--bg", "--trust", ...ALLOWED, "--session-id", ID, "--", "the first prompt"]);
  const id = started.out.split(" ")[0] ?? "";
  await eventually("the file is changed", () => place.a() === "a\none\n");
  const refused = await place.run(["sessions", "rewind", ID, "--to", "1"]);
  expect([refused.code, refused.err.includes("quoll attach")]).toEqual([1, true]);
  await eventually("it rests", async () => (await place.run(["ps", "--json"])).out.includes('"idle"'));
  await place.run(["stop", id]);
  await place.back(1);
  expect(place.a()).toBe("a\n");
});

describe("a rewind killed before its first file", () => {
  /** A session with one prompt, as it is when a rewind to before it is killed right after its plan is on the disk. */
  async function killedRewind(more: readonly ReturnType<typeof reply>[]) {
    const place = await sessionPlace([append("one"), reply("First."), ...more]);
    await place.say("the first prompt");
    const data = join(place.home.dir, "own/data");
    const fileIn = (room: string) => {
      const [project = ""] = readdirSync(join(data, room));
      return join(data, room, project, `${ID}.jsonl`);
    };
    const [log, records] = [fileIn("sessions"), fileIn("checkpoints")];
    const [logBefore, recordsBefore] = [log, records].map((path) => readFileSync(path, "utf8"));
    await place.back(1);
    const written = readFileSync(records, "utf8").slice(recordsBefore?.length);
    const plan = written.split("\n").find((line) => line.includes('"rewind"'));
    writeFileSync(log, logBefore ?? "");
    writeFileSync(records, `${recordsBefore}${plan}\n`);
    mkdirSync(join(dirname(records), "rewinding"), { recursive: true });
    writeFileSync(join(dirname(records), "rewinding", ID), "");
    writeFileSync(place.project.path("a.txt"), "a\none\n");
    const told = (err: string) => err.split("\n").filter((line) => line.includes("interrupted"));
    return { ...place, told, lock: log.replace(".jsonl", ".lock") };
  }

  deepTest("is finished by the next start of its session, which says so in one line", async () => {
    await using place = await killedRewind([reply("On.")]);
    const next = await place.say("on");
    expect([place.told(next.err).length, place.a()]).toEqual([1, "a\n"]);
    expect(place.lastRequest().includes("the first prompt")).toBe(false);
  });

  deepTest("is finished by the next start of another session of the project, with its conversation", async () => {
    await using place = await killedRewind([reply("New."), reply("Newer."), reply("On.")]);
    const next = await place.run(["-p", "another session"]);
    expect([next.code, place.told(next.err).length, place.a()]).toEqual([0, 1, "a\n"]);
    expect(place.told(next.err)[0]).toContain(`Session ${ID.slice(0, 8)}`);
    expect(place.told((await place.run(["-p", "a third session"])).err)).toEqual([]);
    const resumed = await place.say("on");
    expect(place.told(resumed.err)).toEqual([]);
    expect(place.lastRequest().includes("the first prompt")).toBe(false);
  });

  test("is left alone while another process has its session open", async () => {
    await using place = await killedRewind([reply("New."), reply("Newer.")]);
    const attempt = tryLock(place.lock);
    const next = await place.run(["-p", "another session"]);
    expect([next.code, next.err, place.a()]).toEqual([0, "", "a\none\n"]);
    if ("lock" in attempt) attempt.lock.release();
    await place.run(["-p", "a third session"]);
    expect(place.a()).toBe("a\n");
  });
});
