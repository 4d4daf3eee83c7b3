import { expect, test } from "bun:test";
import { appendFileSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { ConfigurationError } from "../../../src/contracts/errors.ts";
import type { SessionLabel } from "../../../src/contracts/session.ts";
import { forkSession } from "../../../src/services/session/fork-session.ts";
import { deleteSession } from "../../../src/services/session/io/session-storage.ts";
import { labelSession } from "../../../src/services/session/label-session.ts";
import { assertNotDescribed, findSession, listSessions } from "../../../src/services/session/session-catalogue.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { tempProject } from "../../support/temp-project.ts";
import { asAssistant, asUser, countingIds, openLog, restore, user } from "./support.ts";

const clock = fakeClock();
const INDEX = "session-index.json";

/** A session with these prompts, each with an answer, changed so many seconds after the epoch. */
function saved(folder: string, sessionId: string, prompts: readonly string[], seconds = 1_000): string {
  const log = openLog({ folder, sessionId });
  for (const [at, prompt] of prompts.entries()) {
    log.append(asUser(`u${at}`, prompt));
    log.append(asAssistant(`a${at}`));
    log.append({ kind: "turn_finished", reason: "completed", costUsd: 0.25 });
  }
  log.close();
  utimesSync(log.path, seconds, seconds);
  return log.path;
}

function label(folder: string, sessionId: string, given: SessionLabel): void {
  labelSession({ folder, sessionId }, given, { clock, ids: countingIds(`l-${sessionId}`) });
}

const listed = async (folder: string, id: string) => (await listSessions(folder)).find((one) => one.id === id);

test("a list tells each session's prompts, cost, branch, folder, last prompt and last answer", async () => {
  await using project = await tempProject({
    ".git/HEAD": "ref: refs/heads/fix/cart\n",
    ".git/objects/x": "",
    ".git/refs/x": "",
  });
  const log = openLog({ folder: project.path("s"), sessionId: "one", cwd: project.dir });
  log.append(asUser("u1", "the first wish"));
  const fromHook = { kind: "user", message: user("h1"), prompt: "from a hook" } as const;
  log.append({ ...fromHook, by: "hook" });
  log.append(asUser("big", "x".repeat(2_200_000)));
  log.append(asAssistant("a1"));
  log.append({ kind: "turn_finished", reason: "completed", costUsd: 0.5 });
  log.append(asUser("u2", "the last\n\u001b[31m größere 😀 wish"));
  log.append(asAssistant("a2"));
  log.append({ kind: "turn_finished", reason: "completed", costUsd: 0.25 });
  log.close();
  appendFileSync(log.path, '{"kind":"user","prompt":"cut');
  const found = await listed(project.path("s"), "one");
  expect(found).toMatchObject({
    ...{ title: "the first wish", prompts: 3, costUsd: 0.75, branch: "fix/cart", folder: project.dir },
    lastAnswer: "answer a2",
  });
  expect(found?.lastPrompt).toMatch(/^the last .*größere 😀 wish$/);
  expect(found?.lastPrompt).not.toContain("\u001b");
});

test("after /clear, a session is listed by its new conversation from that one's first prompt on", async () => {
  await using project = await tempProject({});
  const log = openLog({ folder: project.dir, sessionId: "one" });
  log.append(asUser("u1", "alpha"));
  log.append(asAssistant("a1"));
  log.append({ kind: "turn_finished", reason: "completed", costUsd: 0.5 });
  log.append({ kind: "label", optional: true, title: "Alpha work" });
  log.append({ kind: "cleared" });
  const cleared = { title: "Alpha work", prompts: 1, lastPrompt: "alpha", lastAnswer: "answer a1" };
  expect(await listed(project.dir, "one")).toMatchObject(cleared);
  log.append(asUser("u2", "beta"));
  log.append(asUser("u3", "gamma"));
  log.append({ kind: "turn_finished", reason: "completed", costUsd: 0.25 });
  log.close();
  const found = await listed(project.dir, "one");
  expect(found).toMatchObject({ title: "beta", prompts: 2, costUsd: 0.75, lastPrompt: "gamma" });
  expect(found).not.toHaveProperty("lastAnswer");
});

test("the cost of a session with a turn of an unknown price is unknown", async () => {
  await using project = await tempProject({});
  const log = openLog({ folder: project.dir, sessionId: "one" });
  log.append(asUser("u1", "a"));
  for (const costUsd of [0.5, null]) log.append({ kind: "turn_finished", reason: "completed", costUsd });
  log.close();
  expect((await listed(project.dir, "one"))?.costUsd).toBeNull();
});

test("a session that a process has open is marked", async () => {
  await using project = await tempProject({});
  const log = openLog({ folder: project.dir, sessionId: "open" });
  log.append(asUser("u1", "one"));
  expect((await listed(project.dir, "open"))?.isOpen).toBe(true);
  log.close();
  expect(await listed(project.dir, "open")).not.toHaveProperty("isOpen");
});

test.skipIf(process.platform !== "linux")("a session whose lock can't be read counts as open", async () => {
  await using project = await tempProject({});
  saved(project.dir, "one", ["a"]);
  // Reading this file fails for every user.
  symlinkSync("/proc/self/mem", project.path("one.lock"));
  expect((await listed(project.dir, "one"))?.isOpen).toBe(true);
});

test("garbage, entries of unknown kinds and entries without their fields change nothing", async () => {
  await using project = await tempProject({});
  const path = saved(project.dir, "one", ["fix the cart"]);
  const frame = (kind: string, rest: object) =>
    `${JSON.stringify({ v: 2, id: kind, parentId: null, time: "t", kind, ...rest })}\n`;
  const broken = ["user", "assistant", "session", "setup", "label", "later"].map((kind) => frame(kind, {}));
  appendFileSync(path, `\0\0garbage\n[]\nnull\n"x"\n${broken.join("")}${frame("label", { name: 7 })}`);
  expect(await listed(project.dir, "one")).toMatchObject({ title: "fix the cart", prompts: 1, costUsd: 0.25 });
});

test("the newest name of a session replaces its first prompt, and an empty name brings the prompt back", async () => {
  await using project = await tempProject({});
  const path = saved(project.dir, "one", ["fix the cart"]);
  label(project.dir, "one", { name: "cart" });
  label(project.dir, "one", { isPinned: true });
  label(project.dir, "one", { name: "  the\ncart " });
  expect(await listed(project.dir, "one")).toMatchObject({ title: "the cart", isNamed: true, isPinned: true });
  expect(statSync(path).mtimeMs).toBe(1_000_000);
  label(project.dir, "one", { name: "", isPinned: false, isArchived: true });
  const last = await listed(project.dir, "one");
  expect(last).toMatchObject({ title: "fix the cart", isArchived: true });
  expect([last?.isNamed, last?.isPinned]).toEqual([undefined, undefined]);
});

test("a title by a model is shown until the session has a name, also when it is read from the index", async () => {
  await using project = await tempProject({});
  saved(project.dir, "one", ["fix the cart"]);
  label(project.dir, "one", { title: "Cart\nrepair" });
  await findSession(project.dir, "Cart");
  expect(await listed(project.dir, "one")).toMatchObject({ title: "Cart repair", firstPrompt: "fix the cart" });
  expect(await listed(project.dir, "one")).not.toHaveProperty("isNamed");
  expect(await findSession(project.dir, "cart repair")).toBe("one");
  label(project.dir, "one", { name: "Shop" });
  expect(await listed(project.dir, "one")).toMatchObject({ title: "Shop", isNamed: true });
});

test("a label is no part of the conversation: a resumed session and a copy go on as without it", async () => {
  await using project = await tempProject({});
  const path = saved(project.dir, "one", ["fix the cart"]);
  const before = restore(path);
  label(project.dir, "one", { name: "cart" });
  expect(restore(path)).toEqual(before);
  const log = openLog({ folder: project.dir, sessionId: "one", how: "resume" });
  log.append(asUser("u9", "and test it"));
  log.close();
  expect(restore(path).messages.slice(0, before.messages.length)).toEqual([...before.messages]);
  const place = { folder: project.dir, cwd: "/p", version: "1", clock, ids: countingIds("f") };
  await forkSession({ from: "one", newSessionId: "two" }, place);
  expect((await listed(project.dir, "two"))?.isNamed).toBeUndefined();
});

test("a name of a session that a crash cut keeps its own line", async () => {
  await using project = await tempProject({});
  const path = saved(project.dir, "one", ["fix the cart"]);
  appendFileSync(path, '{"v":2,"id":"cut');
  label(project.dir, "one", { name: "cart" });
  expect((await listed(project.dir, "one"))?.title).toBe("cart");
});

test("a session that is open elsewhere, or does not exist, can't be named", async () => {
  await using project = await tempProject({});
  const log = openLog({ folder: project.dir, sessionId: "open" });
  log.append(asUser("u1", "one"));
  expect(() => label(project.dir, "open", { name: "x" })).toThrow("is open in another Quoll");
  log.close();
  expect(() => label(project.dir, "none", { name: "x" })).toThrow("There is no session none.");
  expect(() => label(project.dir, "../x", { name: "x" })).toThrow("not a session id");
});

test("a session is found by its id, its name, its title, or the beginning of its id or name", async () => {
  await using project = await tempProject({});
  const texts = { abc: "one", abcd: "two", b1: "fix the cart", b2: "fix the cart again", b3: "write docs" };
  for (const [id, prompt] of Object.entries(texts)) saved(project.dir, id, [prompt]);
  label(project.dir, "b3", { name: "Docs of the cart" });
  const words = ["abc", "abcd", "b2", "fix the cart", "docs of the cart", "docs", "FIX THE CART"];
  const ids = ["abc", "abcd", "b2", "b1", "b3", "b3", "b1"];
  expect(await Promise.all(words.map((wanted) => findSession(project.dir, wanted)))).toEqual(ids);
  // A prompt is no name, so its beginning names no session.
  for (const wanted of ["fix", "zz", "", "c"]) expect(await findSession(project.dir, wanted)).toBeUndefined();
});

test("several sessions with one name are named in the error", async () => {
  await using project = await tempProject({});
  for (const id of ["a1", "a2"]) saved(project.dir, id, ["the same"]);
  const problem = await findSession(project.dir, "the same").catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(ConfigurationError);
  expect(problem).toMatchObject({
    ...{ problem: "severalSessions", exitCode: 2 },
    message: '2 sessions fit "the same": a1 ("the same"), a2 ("the same").',
  });
});

test("words that no session has as its name, but in its prompts, name these sessions in the error", async () => {
  await using project = await tempProject({});
  saved(project.dir, "a1", ["why a zebra coupon"]);
  const shown = (path: string) => path.replace(/^\/home/, "");
  await assertNotDescribed(project.dir, "giraffe", shown);
  await expect(assertNotDescribed(project.dir, "Zebra", shown)).rejects.toThrow(
    'No session has the name "Zebra"; these have its words: a1 ("why a zebra coupon").',
  );
});

test("the index of many sessions is written, and only changed logs are read again", async () => {
  await using project = await tempProject({});
  const paths = Array.from({ length: 20 }, (_, at) => saved(project.dir, `s${at}`, [`prompt ${at}`], 1_000 + at));
  const first = await listSessions(project.dir);
  expect(first).toHaveLength(20);
  // A log with other text of the same size and time is not read again; one that grew is, and only its new lines.
  const [unread = ""] = paths;
  const swapped = readFileSync(unread, "utf8").replaceAll("prompt 0", "prompt X");
  writeFileSync(unread, swapped);
  utimesSync(unread, 1_000, 1_000);
  label(project.dir, "s1", { name: "named" });
  const titles = (await listSessions(project.dir)).map(({ title }) => title);
  expect(titles.at(-1)).toBe("prompt 0");
  expect(titles).toContain("named");
});

test.each(["", "{", "null", '{"format":2,"sessions":{"s0":{"bytes":1,"facts":{}}}}', '{"format":9}'])(
  "a damaged index (%j) is rebuilt",
  async (content) => {
    await using project = await tempProject({});
    for (let at = 0; at < 20; at += 1) saved(project.dir, `s${at}`, [`prompt ${at}`], 1_000 + at);
    const whole = await listSessions(project.dir);
    const index = readFileSync(project.path(INDEX), "utf8");
    await project.write(INDEX, content);
    expect(await listSessions(project.dir)).toEqual(whole);
    expect(JSON.parse(readFileSync(project.path(INDEX), "utf8"))).toEqual(JSON.parse(index));
  },
);

test("a log that was replaced by another one, or cut, is read from its beginning", async () => {
  await using project = await tempProject({});
  for (let at = 0; at < 20; at += 1) saved(project.dir, `s${at}`, [`prompt ${at}`], 1_000 + at);
  await listSessions(project.dir);
  const other = saved(project.path("other"), "s3", ["another", "with more", "prompts"]);
  writeFileSync(project.path("s3.jsonl"), readFileSync(other));
  const [head = ""] = readFileSync(project.path("s4.jsonl"), "utf8").split("\n");
  writeFileSync(project.path("s4.jsonl"), `${head}\n`);
  expect(await listed(project.dir, "s3")).toMatchObject({ title: "another", prompts: 3, costUsd: 0.75 });
  expect(await listed(project.dir, "s4")).toMatchObject({ title: "(no prompt)", prompts: 0, costUsd: 0 });
});

test("the index forgets the texts of a deleted session at the next list", async () => {
  await using project = await tempProject({});
  for (let at = 0; at < 20; at += 1) saved(project.dir, `s${at}`, [`prompt of ${at}`], 1_000 + at);
  await listSessions(project.dir);
  expect(readFileSync(project.path(INDEX), "utf8")).toContain("prompt of 7");
  deleteSession({ folder: project.dir, sessionId: "s7" });
  expect(await listSessions(project.dir)).toHaveLength(19);
  expect(readFileSync(project.path(INDEX), "utf8")).not.toContain("prompt of 7");
  for (let at = 0; at < 20; at += 1) if (at !== 7) deleteSession({ folder: project.dir, sessionId: `s${at}` });
  expect(await listSessions(project.dir)).toEqual([]);
  expect(readFileSync(project.path(INDEX), "utf8")).not.toContain("prompt of");
});
