import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { MAIN_AGENT } from "../../../src/contracts/agent.ts";
import { UserFacingError } from "../../../src/contracts/errors.ts";
import { randomIds, systemClock } from "../../../src/platform/clock.ts";
import { forkSession } from "../../../src/services/session/fork-session.ts";
import { assertSessionFree } from "../../../src/services/session/session-log.ts";
import { unsavedSessionLog } from "../../../src/services/session/unsaved-session-log.ts";
import { tempProject } from "../../support/temp-project.ts";
import {
  asAssistant,
  asFinished,
  assistant,
  asUser,
  countingIds,
  filesIn,
  openLog,
  restore,
  result,
  results,
  user,
} from "./support.ts";

const LOG_MODULE = new URL("../../../src/services/session/session-log.ts", import.meta.url).pathname;

function failure(work: () => unknown): { message: string; exitCode: number } {
  try {
    work();
  } catch (error) {
    if (error instanceof UserFacingError) return { message: error.message, exitCode: error.exitCode };
    throw error;
  }
  throw new Error("did not fail");
}

/** A real second Quoll: opens the session, writes the given number of prompts, says so, and waits. */
function otherWriter(folder: string, prompts: number, how = "new") {
  const script = `import { openSessionLog } from ${JSON.stringify(LOG_MODULE)};
    import { reopenSessionLog } from ${JSON.stringify(LOG_MODULE.replace("session-log.ts", "reopen-session-log.ts"))};
    import { randomIds, systemClock } from ${JSON.stringify(LOG_MODULE.replace("services/session/session-log", "platform/clock"))};
    try {
      const place = { folder: ${JSON.stringify(folder)}, cwd: "/p", version: "1", clock: systemClock, ids: randomIds };
      const log = ${how === "resume" ? `reopenSessionLog("s1", place).log` : `openSessionLog("s1", place)`};
      const agent = { agentId: "main", parentAgentId: null };
      let parentId = null;
      for (let i = 0; i < ${prompts}; i += 1) {
        const message = { role: "user", id: "u" + i, content: [{ type: "text", text: "p" + i }] };
        parentId = log.append({ kind: "user", message, prompt: "p" + i }, { parentId, agent }).id;
      }
      console.log("ready");
    } catch (error) { console.log(error.name + " " + error.exitCode + " " + error.message); }
    for await (const _ of process.stdin) {}`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const end = async () => {
    child.kill("SIGKILL");
    await child.exited;
  };
  const said = async () => new TextDecoder().decode((await child.stdout.getReader().read()).value).trim();
  return { pid: child.pid, said, kill: end, [Symbol.asyncDispose]: end };
}

test("entries are lines of one private file, each linked to the one before", async () => {
  await using project = await tempProject();
  const folder = project.path("data/sessions/p1");
  const log = openLog({ folder, ids: countingIds() });
  expect(filesIn(folder)).toEqual(["s1.lock"]);
  log.append(asUser("u1", "hello"));
  log.append(asAssistant("a1"));
  const entries = readFileSync(log.path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const time = "2026-01-02T03:04:05.000Z";
  const agent = { agentId: "main", parentAgentId: null };
  expect(entries).toEqual([
    { v: 2, id: "e1", parentId: null, time, kind: "session", sessionId: "s1", cwd: "/p", version: "1.0.0", ...agent },
    { v: 2, id: "e2", parentId: "e1", time, kind: "user", prompt: "hello", message: user("u1", "hello"), ...agent },
    { v: 2, id: "e3", parentId: "e2", time, kind: "assistant", message: assistant("a1"), ...agent },
  ]);
  expect(statSync(log.path).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  await log.sync();
  log.close();
  expect(filesIn(folder)).toEqual(["s1.jsonl"]);
});

test("the first entry is the session's own, also where a child agent writes first", async () => {
  await using project = await tempProject();
  const agent = { agentId: "child", parentAgentId: "main" };
  for (const how of ["new", "resume"] as const) {
    const log = openLog({ folder: project.dir, how, ids: countingIds(how), agent });
    log.append(asUser(how));
    log.close();
  }
  const lines = (await project.read("s1.jsonl")).trimEnd().split("\n");
  const entries = lines.map((line) => JSON.parse(line));
  expect(entries.map(({ kind, agentId, parentAgentId }) => [kind, agentId, parentAgentId])).toEqual([
    ["session", "main", null],
    ["user", "child", "main"],
    ["user", "child", "main"],
  ]);
});

test("a session in which nothing was said leaves no file", async () => {
  await using project = await tempProject();
  openLog({ folder: project.dir }).close();
  expect(filesIn(project.dir)).toEqual([]);
});

test("a resumed session continues the same chain", async () => {
  await using project = await tempProject();
  const first = openLog({ folder: project.dir, ids: countingIds("a") });
  first.append(asUser("u1"));
  first.close();
  const second = openLog({ folder: project.dir, how: "resume", ids: countingIds("b") });
  second.append(asUser("u2"));
  second.close();
  const links = readFileSync(second.path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .map(({ id, parentId }) => [id, parentId]);
  expect(links).toEqual([
    ["a1", null],
    ["a2", "a1"],
    ["b1", "a2"],
  ]);
});

test("a new session can't take an id that is used, an old one must exist, and an id must be a name", async () => {
  await using project = await tempProject({ "s1.jsonl": "" });
  expect(failure(() => openLog({ folder: project.dir }))).toEqual({
    message: "There already is a session s1.",
    exitCode: 2,
  });
  expect(failure(() => openLog({ folder: project.dir, sessionId: "s2", how: "resume" })).message).toBe(
    "There is no session s2.",
  );
  for (const sessionId of ["../x", "", "a/b", ".hidden", "x".repeat(101)])
    expect(failure(() => openLog({ folder: project.dir, sessionId })).exitCode).toBe(2);
  expect(filesIn(project.dir)).toEqual(["s1.jsonl"]);
});

test("a second process is refused with one line that names the holder", async () => {
  await using project = await tempProject();
  await using other = otherWriter(project.dir, 1);
  expect(await other.said()).toBe("ready");
  const { message, exitCode } = failure(() => openLog({ folder: project.dir, how: "resume" }));
  expect(exitCode).toBe(1);
  expect(message).toStartWith(`Session s1 is open in another Quoll (pid ${other.pid} on `);
  expect(message).toMatch(/, since \d{4}-\d{2}-\d{2} \d{2}:\d{2}; lock /);
  expect(message).toEndWith("end that one.");
  expect(message).not.toContain("\n");
  expect(() => assertSessionFree(project.dir, "s1")).toThrow("open in another Quoll");
  assertSessionFree(project.dir, "s2");
  expect(filesIn(project.dir)).not.toContain("s2.lock");
});

test("the other way round, a second process sees us", async () => {
  await using project = await tempProject();
  const log = openLog({ folder: project.dir });
  log.append(asUser("u1"));
  await using other = otherWriter(project.dir, 0, "resume");
  expect(await other.said()).toStartWith(
    `SessionOpenError 1 Session s1 is open in another Quoll (pid ${process.pid} on `,
  );
  log.close();
});

test("kill -9 costs no entry that was written, and the dead writer's lock is taken over", async () => {
  await using project = await tempProject();
  await using other = otherWriter(project.dir, 200);
  expect(await other.said()).toBe("ready");
  await other.kill();
  const log = openLog({ folder: project.dir, how: "resume" });
  log.append(asUser("after"));
  log.close();
  const { messages, warnings } = restore(log.path);
  expect(messages.map(({ id }) => id)).toEqual([...Array.from({ length: 200 }, (_, i) => `u${i}`), "after"]);
  expect(warnings).toEqual([]);
});

test("a torn last line is cut off when the session is opened again, a whole one is kept", async () => {
  await using project = await tempProject();
  const first = openLog({ folder: project.dir });
  first.append(asUser("u1"));
  first.append(asUser("u2"));
  first.close();
  const whole = readFileSync(first.path, "utf8");
  for (const [text, kept] of [
    [`${whole}{"v":1,"id":"torn","par`, ["u1", "u2", "new"]],
    [whole.slice(0, -1), ["u1", "u2", "new"]],
    [whole.slice(0, -2), ["u1", "new"]],
  ] as const) {
    writeFileSync(first.path, text);
    const again = openLog({ folder: project.dir, how: "resume" });
    again.append(asUser("new"));
    again.close();
    const { messages, warnings } = restore(first.path);
    expect([messages.map(({ id }) => id), warnings]).toEqual([[...kept], []]);
  }
});

test("a session whose very first entry was torn gets a new one", async () => {
  await using project = await tempProject({ "s1.jsonl": '{"v":1,"id":"x' });
  const log = openLog({ folder: project.dir, how: "resume" });
  log.append(asUser("u1"));
  log.close();
  expect(restore(log.path)).toEqual({ sessionId: "s1", startedAt, messages: [user("u1")], warnings: [] });
});

test("a session of a newer format is neither read nor written", async () => {
  const text = '{"v":3,"id":"x","parentId":null,"kind":"session","sessionId":"s1"}\n';
  await using project = await tempProject({ "s1.jsonl": text });
  const line = `${project.path("s1.jsonl")} was written by a newer Quoll (format 3, this one reads 2): update Quoll to continue this session.`;
  expect(failure(() => openLog({ folder: project.dir, how: "resume" }))).toEqual({ message: line, exitCode: 1 });
  expect(failure(() => restore(project.path("s1.jsonl"))).message).toBe(line);
  expect([await project.read("s1.jsonl"), filesIn(project.dir)]).toEqual([text, ["s1.jsonl"]]);
});

test("a failed write gives one clear line", async () => {
  await using project = await tempProject({ file: "" });
  const { message, exitCode } = failure(() => openLog({ folder: project.path("file/sessions") }));
  expect([message.startsWith("The session could not be saved to "), exitCode]).toEqual([true, 1]);
  if (process.getuid?.() === 0) return;
  mkdirSync(project.path("closed"));
  chmodSync(project.path("closed"), 0o500);
  const closed = failure(() => openLog({ folder: project.path("closed") }));
  chmodSync(project.path("closed"), 0o700);
  expect(closed.message).toContain("permissions don't let you write there");
});

test("an entry that was written in part is removed and reported, and the next entry is whole", async () => {
  await using project = await tempProject();
  const script = `import { openSessionLog } from ${JSON.stringify(LOG_MODULE)};
    import { randomIds, systemClock } from ${JSON.stringify(LOG_MODULE.replace("services/session/session-log", "platform/clock"))};
    const log = openSessionLog("s1", { folder: ${JSON.stringify(project.dir)}, cwd: "/p", version: "1", clock: systemClock, ids: randomIds });
    const place = { parentId: null, agent: { agentId: "main", parentAgentId: null } };
    const say = (id, text) => {
      place.parentId = log.append({ kind: "user", message: { role: "user", id, content: [{ type: "text", text }] }, prompt: "" }, place).id;
    };
    say("u1", "a");
    try { say("big", "x".repeat(100_000)); console.log("written?"); } catch (error) { console.log(error.name); }
    say("u2", "b");
    log.close();`;
  // A file may have 4 KiB here: what the kernel does at this limit is what it does on a full disk.
  const limited = ["bash", "-c", 'trap "" XFSZ; ulimit -f 4; exec "$@"', "_", process.execPath, "-e", script];
  const child = Bun.spawn(limited, { stdout: "pipe", stderr: "inherit" });
  expect([await new Response(child.stdout).text(), await child.exited]).toEqual(["UserFacingError\n", 0]);
  const { messages, warnings } = restore(project.path("s1.jsonl"));
  expect([messages.map(({ id }) => id), warnings]).toEqual([["u1", "u2"], []]);
});

const startedAt = expect.any(String);

test("a session that is not saved takes everything and keeps nothing", async () => {
  const log = unsavedSessionLog({ sessionId: "s9" });
  log.append(asUser("u1"), { parentId: null, agent: MAIN_AGENT });
  await log.sync();
  expect(log.sessionId).toBe("s9");
});

test("each result stands once in the file, and readers put it back into its message", async () => {
  await using project = await tempProject();
  const log = openLog({ folder: project.dir, ids: countingIds() });
  const note = { type: "text", text: "and a note" } as const;
  log.append(asUser("u1"));
  log.append(asAssistant("a1", "t1", "t2", "t3"));
  for (const id of ["t1", "t2", "t3"]) log.append(asFinished(id));
  const cut = result("t2", "[cut]");
  const message = {
    ...results("r1", result("t1"), cut, result("t3")),
    content: [result("t1"), cut, result("t3"), note],
  };
  log.append({ kind: "results", message });
  log.close();
  const text = readFileSync(log.path, "utf8");
  expect(["result t1", "result t2", "result t3"].map((words) => text.split(words).length - 1)).toEqual([1, 1, 1]);
  const { messages, warnings } = restore(log.path);
  expect([messages, warnings]).toEqual([[user("u1"), assistant("a1", "t1", "t2", "t3"), message], []]);
});

test("a result that differs from its call's entry, or comes again, stays whole in the message", async () => {
  await using project = await tempProject();
  const log = openLog({ folder: project.dir });
  log.append(asAssistant("a1", "t1"));
  log.append(asFinished("t1"));
  log.append({ kind: "results", message: results("r1", result("t1", "result t1", true)) });
  log.append({ kind: "results", message: results("r2", result("t1")) });
  log.close();
  const text = readFileSync(log.path, "utf8");
  expect([text.includes("entryId"), text.split("result t1").length - 1]).toEqual([false, 3]);
});

test("a copy of a session holds each result once too", async () => {
  await using project = await tempProject();
  const log = openLog({ folder: project.dir });
  log.append(asUser("u1"));
  log.append(asAssistant("a1", "t1"));
  log.append(asFinished("t1"));
  log.append({ kind: "results", message: results("r1", result("t1")) });
  log.close();
  const place = { folder: project.dir, cwd: "/p", version: "1", clock: systemClock, ids: randomIds };
  await forkSession({ from: "s1", newSessionId: "s2" }, place);
  const copy = project.path("s2.jsonl");
  expect(readFileSync(copy, "utf8").split("result t1").length - 1).toBe(1);
  expect(restore(copy).messages).toEqual(restore(log.path).messages);
});
