import { expect, test } from "bun:test";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import type { AssistantMessage, Message, UserMessage } from "../../../src/contracts/message.ts";
import type { EntryBody } from "../../../src/contracts/session.ts";
import { isDeep, testOrDeep } from "../../support/deep.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { tempProject } from "../../support/temp-project.ts";
import {
  asAssistant,
  asFinished,
  asResults,
  asStarted,
  assistant,
  asUser,
  brokenPairs,
  openLog,
  restore,
  result,
  results,
  user,
} from "./support.ts";

const startedAt = expect.any(String);

const INTERRUPTED =
  "Interrupted: Quoll ended while this call was running; it may have run in part. Check before repeating it.";
const NOT_RUN = "Not run: Quoll ended before this call began.";

/** Writes the entries as a session would, and reads them back. */
async function restored(...bodies: EntryBody[]): Promise<readonly Message[]> {
  await using project = await tempProject();
  const log = openLog({ folder: project.dir });
  for (const body of bodies) log.append(body);
  log.close();
  const { messages, warnings } = restore(log.path);
  expect([brokenPairs(messages), warnings]).toEqual([[], []]);
  return messages;
}

test("a history comes back as it was, message ids and all", async () => {
  expect(
    await restored(
      asUser("u1"),
      asStarted("t1"),
      asAssistant("a1", "t1", "t2"),
      asFinished("t1"),
      asStarted("t2"),
      asFinished("t2"),
      asResults("r1", "t1", "t2"),
      asAssistant("a2"),
      { kind: "turn_finished", reason: "completed", costUsd: null },
      asUser("u2"),
    ),
  ).toEqual([
    user("u1"),
    assistant("a1", "t1", "t2"),
    results("r1", result("t1"), result("t2")),
    assistant("a2"),
    user("u2"),
  ]);
});

test("documents, blocks of a provider's own, signatures and sources come back byte for byte", async () => {
  const pdf = { type: "document", mediaType: "application/pdf", data: "JVBERi0=" } as const;
  const message: AssistantMessage = {
    ...assistant("a1"),
    provider: "google",
    content: [
      { type: "opaque", data: { type: "server_tool_use", input: { q: "é" } } },
      { type: "text", text: "so", citations: [{ url: "x" }], signature: "c2ln" },
      { type: "tool_use", id: "t1", name: "Read", input: {}, signature: "dA==" },
    ],
  };
  const words: UserMessage = { role: "user", id: "u1", content: [pdf, { type: "text", text: "read it" }] };
  const results: UserMessage = {
    role: "user",
    id: "r1",
    content: [{ type: "tool_result", toolUseId: "t1", content: [pdf], isError: false }],
  };
  const history = await restored(
    { kind: "user", message: words, prompt: "read it" },
    { kind: "assistant", message },
    { kind: "results", message: results },
  );
  expect(history).toEqual([words, message, results]);
});

test("after a crash each call has one result: what it gave, that it was interrupted, or that it never ran", async () => {
  expect(
    await restored(
      asUser("u1"),
      asStarted("t1"),
      asAssistant("a1", "t1", "t2", "t3"),
      asFinished("t1"),
      asStarted("t2"),
    ),
  ).toEqual([
    user("u1"),
    assistant("a1", "t1", "t2", "t3"),
    results("a1-results", result("t1"), result("t2", INTERRUPTED, true), result("t3", NOT_RUN, true)),
  ]);
});

test("a session that went on after a crash is restored the same way each time", async () => {
  expect(
    await restored(asUser("u1"), asAssistant("a1", "t1"), asStarted("t1"), asUser("u2"), asAssistant("a2")),
  ).toEqual([
    user("u1"),
    assistant("a1", "t1"),
    results("a1-results", result("t1", INTERRUPTED, true)),
    user("u2"),
    assistant("a2"),
  ]);
});

test("results that miss a call are completed from what was noted, results of unknown calls are left out", async () => {
  expect(
    await restored(asUser("u1"), asAssistant("a1", "t1", "t2"), asFinished("t2"), asResults("r1", "t1", "zz", "t1")),
  ).toEqual([user("u1"), assistant("a1", "t1", "t2"), results("r1", result("t1"), result("t2"))]);
});

test("a provider that gives the same id to every call mixes nothing up", async () => {
  expect(
    await restored(
      asUser("u1"),
      asAssistant("a1", "t"),
      asStarted("t"),
      asFinished("t"),
      asResults("r1", "t"),
      asAssistant("a2", "t"),
    ),
  ).toEqual([
    user("u1"),
    assistant("a1", "t"),
    results("r1", result("t")),
    assistant("a2", "t"),
    results("a2-results", result("t", NOT_RUN, true)),
  ]);
});

test("calls of an answer that was lost are forgotten", async () => {
  expect(await restored(asUser("u1"), asStarted("lost"), asFinished("lost"), asAssistant("a1"))).toEqual([
    user("u1"),
    assistant("a1"),
  ]);
});

test("an entry that was written twice around a crash counts once", async () => {
  await using project = await tempProject();
  const log = openLog({ folder: project.dir });
  for (const body of [asUser("u1"), asAssistant("a1", "t1"), asFinished("t1"), asResults("r1", "t1")]) log.append(body);
  log.close();
  const lines = readFileSync(log.path, "utf8").trimEnd().split("\n");
  writeFileSync(log.path, `${lines.flatMap((line) => [line, line]).join("\n")}\n`);
  const once = [user("u1"), assistant("a1", "t1"), results("r1", result("t1"))];
  expect(restore(log.path)).toEqual({ sessionId: "s1", startedAt, messages: once, warnings: [] });
});

test("the same messages under new entry ids count once, too", async () => {
  expect(
    await restored(
      asUser("u1"),
      asUser("u1"),
      asAssistant("a1", "t"),
      asAssistant("a1", "t"),
      asResults("r", "t"),
      asResults("r", "t"),
    ),
  ).toEqual([user("u1"), assistant("a1", "t"), results("r", result("t"))]);
});

test("the conversation has only the entries after the last clear", async () => {
  expect(
    await restored(
      asUser("u1"),
      asAssistant("a1", "t1"),
      { kind: "cleared" },
      asUser("u2"),
      { kind: "cleared" },
      asUser("u3"),
    ),
  ).toEqual([user("u3")]);
  expect(await restored(asUser("u1"), { kind: "cleared" })).toEqual([]);
});

test("an answer without content and an unanswered prompt are kept", async () => {
  const empty = { ...assistant("a1"), content: [] };
  expect(await restored(asUser("u1"), { kind: "assistant", message: empty }, asUser("u2"))).toEqual([
    user("u1"),
    empty,
    user("u2"),
  ]);
});

test("kinds that we don't know are skipped, and the chain holds through them", async () => {
  await using project = await tempProject();
  const log = openLog({ folder: project.dir });
  log.append(asUser("u1"));
  const last = JSON.parse(readFileSync(log.path, "utf8").trimEnd().split("\n").at(-1) ?? "").id;
  appendFileSync(
    log.path,
    `${JSON.stringify({ v: 1, id: "f1", parentId: last, kind: "bookmark", time: "x", what: [1] })}\n`,
  );
  log.close();
  const again = openLog({ folder: project.dir, how: "resume" });
  again.append(asUser("u2"));
  again.close();
  expect(restore(log.path)).toEqual({
    sessionId: "s1",
    startedAt,
    messages: [user("u1"), user("u2")],
    warnings: [],
  });
});

test("an unreadable line in the middle is skipped and reported, and nothing is deleted", async () => {
  await using project = await tempProject();
  const log = openLog({ folder: project.dir });
  for (const body of [asUser("u1"), asAssistant("a1", "t1"), asResults("r1", "t1"), asUser("u2")]) log.append(body);
  log.close();
  const lines = readFileSync(log.path, "utf8").trimEnd().split("\n");
  const broken = [...lines];
  broken[2] = '{"v":1,"id":"x"';
  broken.splice(4, 0, '{"v":1,"id":"y","parentId":null,"kind":"user","prompt":3}', "\0\0\0", "null");
  writeFileSync(log.path, `${broken.join("\n")}\n`);
  expect(restore(log.path)).toEqual({
    sessionId: "s1",
    startedAt,
    messages: [user("u1"), user("u2")],
    warnings: [`${log.path}: lines 3, 5, 6, 7 can't be read and were skipped; the file is kept as it is.`],
  });
  expect(readFileSync(log.path, "utf8")).toBe(`${broken.join("\n")}\n`);
});

test("the conversation is the path from the last entry up: what was branched off is left out", async () => {
  const entry = (id: string, parentId: string | null, body: EntryBody) =>
    JSON.stringify({ v: 1, id, parentId, time: "x", ...body });
  const lines = [
    entry("1", null, { kind: "session", sessionId: "tree", cwd: "/p", version: "1" }),
    entry("2", "1", asUser("u1")),
    entry("3", "2", asAssistant("a1")),
    entry("4", "3", asUser("dead end")),
    entry("5", "3", asUser("u2")),
  ];
  await using project = await tempProject({ "tree.jsonl": `${lines.join("\n")}\n` });
  expect(restore(project.path("tree.jsonl")).messages).toEqual([user("u1"), assistant("a1"), user("u2")]);
});

test("a damaged last line of an old format costs only that line after the session continues", async () => {
  const entry = (id: string, parentId: string | null, body: EntryBody) =>
    JSON.stringify({ v: 1, id, parentId, time: "x", ...body });
  const lines = [
    entry("1", null, { kind: "session", sessionId: "s1", cwd: "/p", version: "1" }),
    entry("2", "1", asUser("u1")),
    entry("3", "2", asAssistant("a1")),
    entry("4", "3", asUser("u2")),
  ];
  await using project = await tempProject({ "s1.jsonl": `${lines.join("\n")}\n` });
  const log = openLog({ folder: project.dir, how: "resume" });
  for (const body of [asAssistant("a2"), asUser("u3")]) log.append(body);
  log.close();
  writeFileSync(log.path, readFileSync(log.path, "utf8").replace(lines[3] ?? "", '{"v":1,"id":"4"'));
  const { messages } = restore(log.path);
  expect(messages.map(({ id }) => id)).toEqual(["u1", "a1", "a2", "u3"]);
});

test("links that go round in circles end", async () => {
  const entry = (id: string, parentId: string, message: string) =>
    JSON.stringify({ v: 1, id, parentId, time: "x", ...asUser(message) });
  await using project = await tempProject({
    "x.jsonl": `${[entry("1", "2", "u1"), entry("2", "2", "u2")].join("\n")}\n`,
  });
  expect(restore(project.path("x.jsonl"))).toEqual({
    sessionId: "x",
    startedAt,
    messages: [user("u1"), user("u2")],
    warnings: [],
  });
});

test("a file that is missing or no file is one clear line", async () => {
  await using project = await tempProject({ "d.jsonl/x": "" });
  expect(() => restore(project.path("gone.jsonl"))).toThrow(
    `The session file ${project.path("gone.jsonl")} does not exist.`,
  );
  expect(() => restore(project.path("d.jsonl"))).toThrow("can't be read");
});

testOrDeep(!isDeep)("a session cut at any byte restores a valid history with every whole entry", async () => {
  await using project = await tempProject();
  const log = openLog({ folder: project.dir });
  const bodies = [
    asUser("u1", "früh 😀"),
    asStarted("t1"),
    asAssistant("a1", "t1", "t2"),
    asFinished("t1"),
    asStarted("t2"),
    asFinished("t2"),
    asResults("r1", "t1", "t2"),
    asAssistant("a2"),
    asUser("u2"),
  ];
  for (const body of bodies) log.append(body);
  log.close();
  const whole = readFileSync(log.path);
  const uncut = restore(log.path).messages;
  const ids = uncut.map(({ id }) => id);
  const cutFile = project.path("cut.jsonl");
  // A prime, so that the cuts lie anywhere in an entry.
  for (let size = 0; size < whole.length; size += isDeep ? 1 : 5) {
    writeFileSync(cutFile, whole.subarray(0, size));
    const { messages, warnings } = restore(cutFile);
    expect([size, brokenPairs(messages), warnings]).toEqual([size, [], []]);
    // Every complete line was acknowledged.
    const lines = whole.subarray(0, size).toString("utf8").split("\n").slice(0, -1);
    const written = ids.filter((id) => lines.some((line) => line.includes(`"id":"${id}"`)));
    expect([size, written.filter((id) => !messages.some((message) => message.id === id))]).toEqual([size, []]);
  }
});

test("a cut session goes on: opened again at any byte of its end, it takes new entries", async () => {
  await using project = await tempProject();
  const log = openLog({ folder: project.dir });
  for (const body of [asUser("u1"), asAssistant("a1", "t1"), asStarted("t1"), asFinished("t1")]) log.append(body);
  log.close();
  const whole = readFileSync(log.path);
  const lastLine = whole.lastIndexOf("\n", whole.length - 2) + 1;
  for (let size = lastLine - 1; size <= whole.length; size += 7) {
    writeFileSync(log.path, whole.subarray(0, size));
    const again = openLog({ folder: project.dir, how: "resume" });
    again.append(asUser("u2"));
    again.close();
    const { messages, warnings } = restore(log.path);
    expect([size, messages.map(({ id }) => id), brokenPairs(messages), warnings]).toEqual([
      size,
      ["u1", "a1", "a1-results", "u2"],
      [],
      [],
    ]);
  }
});

test("each call has exactly one result, whatever happened and wherever it ended", async () => {
  await using project = await tempProject();
  for (let seed = 1; seed <= 150; seed += 1) {
    const random = seededRandom(seed);
    const log = openLog({ folder: project.dir, sessionId: `s${seed}` });
    log.append(asUser("first"));
    let count = 0;
    for (let step = random.below(6); step >= 0; step -= 1) {
      const tools = random.some(3, () => `t${++count}`);
      const early = tools.filter(() => random.chance(0.3));
      const events = [
        asUser(`u${++count}`),
        ...early.map(asStarted),
        asAssistant(`a${++count}`, ...tools),
        ...tools.filter((id) => !early.includes(id)).map(asStarted),
        ...random.shuffle(tools).map(asFinished),
        ...(tools.length > 0 ? [asResults(`r${++count}`, ...tools)] : []),
        ...(random.chance(0.1) ? [{ kind: "cleared" } as const] : []),
      ];
      // Some entries never came: a crash ended the step, or one line was lost.
      const kept = random.chance(0.4) ? events.slice(0, random.below(events.length)) : events;
      for (const event of kept) if (!random.chance(0.05)) log.append(event);
    }
    log.close();
    const { messages } = restore(log.path);
    expect([seed, brokenPairs(messages)]).toEqual([seed, []]);
    expect([seed, new Set(messages.map(({ id }) => id)).size]).toEqual([seed, messages.length]);
  }
});

test("a session of many megabytes is streamed, and only its last conversation is kept", async () => {
  await using project = await tempProject();
  const log = openLog({ folder: project.dir });
  const text = "x".repeat(200_000);
  for (let i = 0; i < 50; i += 1) log.append(asUser(`u${i}`, text));
  log.append({ kind: "cleared" });
  log.append(asUser("last"));
  log.close();
  expect(restore(log.path).messages).toEqual([user("last")]);
});
