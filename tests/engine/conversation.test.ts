import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { MAIN_AGENT } from "../../src/contracts/agent.ts";
import type { Stub } from "../../src/contracts/compaction.ts";
import type { EntryBody, SessionLog } from "../../src/contracts/session.ts";
import { Conversation } from "../../src/engine/conversation.ts";
import { project } from "../../src/engine/project.ts";
import { openSessionLog } from "../../src/services/session/session-log.ts";
import { unsavedSessionLog } from "../../src/services/session/unsaved-session-log.ts";
import {
  asAssistant,
  asFinished,
  asResults,
  asStarted,
  assistant,
  asUser,
  brokenPairs,
  result,
  results,
  user,
} from "../services/session/support.ts";
import { deepTest, seededTest } from "../support/deep.ts";
import { countedIds } from "../support/engine-harness.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { restoredFrom } from "../support/session-files.ts";
import { tempProject } from "../support/temp-project.ts";

const clock = fakeClock();
const CHILD = { agentId: "child", parentAgentId: "main", parentToolUseId: "t1", spendSource: "subagent" } as const;

function inMemory(log: SessionLog = unsavedSessionLog({ sessionId: "s", clock, ids: countedIds("e") })) {
  return new Conversation({ log, agent: MAIN_AGENT, ids: countedIds("m") }, undefined);
}

function inFile(folder: string, sessionId: string, ids = countedIds("e")) {
  const log = openSessionLog(sessionId, { folder, cwd: "/p", version: "1", clock, ids });
  return { log, conversation: inMemory(log) };
}

const said = (conversation: Conversation, ...bodies: EntryBody[]) => bodies.map((body) => conversation.append(body));
const stub = (messageId: string, toolUseId: string): Stub => ({ messageId, at: 0, block: result(toolUseId, "(gone)") });
const summary = [{ type: "text", text: "What was before." }] as const;

test("an entry that can't be written is not part of the conversation", () => {
  const kept = unsavedSessionLog({ sessionId: "s" });
  let isFull = false;
  const log: SessionLog = {
    ...kept,
    append(body, place) {
      if (isFull) throw new Error("ENOSPC");
      return kept.append(body, place);
    },
  };
  const conversation = inMemory(log);
  said(conversation, asUser("u1"), asAssistant("a1"));
  const { lastId } = conversation;
  isFull = true;
  expect(() => conversation.append(asUser("u2"))).toThrow("ENOSPC");
  expect(() => conversation.compact({ stubs: [], summary, note: "" }, "full")).toThrow("ENOSPC");
  expect(() => conversation.moveTo(lastId ?? "")).toThrow("ENOSPC");
  expect([conversation.messages, conversation.lastId]).toEqual([[user("u1"), assistant("a1")], lastId]);
});

test("removed messages are replaced by new ones, and messages already handed out stay unchanged", () => {
  const conversation = inMemory();
  const [u1, a1, r1, a2] = said(
    conversation,
    asUser("u1"),
    asAssistant("a1", "t1"),
    asResults("r1", "t1"),
    asAssistant("a2"),
  );
  const before = conversation.messages;
  const copy = structuredClone(before);
  conversation.compact({ stubs: [stub("r1", "t1")], note: "" }, "full");
  expect(before).toEqual(copy);
  expect(conversation.messages).toEqual([
    user("u1"),
    assistant("a1", "t1"),
    results("r1", result("t1", "(gone)")),
    assistant("a2"),
  ]);
  expect(conversation.messages[1]).toBe(before[1]!);
  expect(conversation.entryIds).toEqual([u1!, a1!, r1!, a2!]);
});

deepTest("a summary replaces the messages before the first kept entry", () => {
  const conversation = inMemory();
  const [, , , u2] = said(
    conversation,
    asUser("u1"),
    asAssistant("a1", "t1"),
    asResults("r1", "t1"),
    asUser("u2"),
    asAssistant("a2"),
  );
  const freed = conversation.compact({ stubs: [], summary, firstKeptId: u2!, note: "" }, "manual");
  expect(conversation.messages).toEqual([{ role: "user", id: "m-1", content: summary }, user("u2"), assistant("a2")]);
  expect(freed).toBeGreaterThan(0);
});

test("a compaction can't separate a call from its result, or keep a missing message", () => {
  const conversation = inMemory();
  const [, , r1] = said(conversation, asUser("u1"), asAssistant("a1", "t1"), asResults("r1", "t1"));
  for (const firstKeptId of [r1!, "nothing"])
    expect(() => conversation.compact({ stubs: [], firstKeptId, note: "" }, "full")).toThrow();
  expect(conversation.messages).toHaveLength(3);
});

test("going back leaves everything in the log, and one can go on again where one was", async () => {
  await using folder = await tempProject();
  const { conversation, log } = inFile(folder.dir, "s1");
  const [, a1, , a2] = said(conversation, asUser("u1"), asAssistant("a1"), asUser("u2"), asAssistant("a2"));
  conversation.moveTo(a1!);
  expect(conversation.messages).toEqual([user("u1"), assistant("a1")]);
  said(conversation, asUser("u3"), asAssistant("a3"));
  expect(project(restoredFrom(log.path).entries).messages).toEqual(conversation.messages);
  conversation.moveTo(a2!);
  expect(conversation.messages.map(({ id }) => id)).toEqual(["u1", "a1", "u2", "a2"]);
  expect(project(restoredFrom(log.path).entries).messages).toEqual(conversation.messages);
  expect(() => conversation.moveTo("nothing")).toThrow("no entry nothing");
  log.close();
});

test("a conversation can't go back into a call, nor to another agent's entry, and nothing changes", async () => {
  await using folder = await tempProject();
  const { conversation, log } = inFile(folder.dir, "s1");
  const bodies = [asUser("u1"), asAssistant("a1", "t1"), asStarted("t1"), asFinished("t1"), asResults("r1", "t1")];
  const [u1, a1, started, finished, r1] = said(conversation, ...bodies);
  said(conversation, asAssistant("a2"));
  const child = new Conversation({ log, agent: CHILD, ids: countedIds("c") }, undefined);
  const [c1] = said(child, asUser("c1"));
  const before = conversation.messages;
  for (const id of [a1!, started!, finished!])
    expect(() => conversation.moveTo(id)).toThrow("a call was under way: choose the message before it or after it");
  expect(() => conversation.moveTo(c1!)).toThrow("belongs to another agent");
  expect(() => child.moveTo(u1!)).toThrow("belongs to another agent");
  expect(conversation.messages).toBe(before);
  conversation.moveTo(r1!);
  expect(conversation.messages.map(({ id }) => id)).toEqual(["u1", "a1", "r1"]);
  conversation.moveTo(u1!);
  expect(conversation.messages).toEqual([user("u1")]);
  log.close();
});

test("moving to an entry before a compaction restores the removed messages", () => {
  const conversation = inMemory();
  const [, a1] = said(conversation, asUser("u1"), asAssistant("a1"), asUser("u2"));
  const whole = [...conversation.messages];
  conversation.compact({ stubs: [], summary, firstKeptId: conversation.entryIds[2]!, note: "" }, "full");
  expect(conversation.messages).toHaveLength(2);
  conversation.moveTo(a1!);
  expect(conversation.messages).toEqual(whole.slice(0, 2));
});

test("a move before a prompt takes the conversation back to it, also behind a summary, and leads forward again", async () => {
  await using folder = await tempProject();
  const { conversation, log } = inFile(folder.dir, "s1");
  said(conversation, asUser("u1"), asAssistant("a1"), asUser("u2"), asAssistant("a2", "t1"), asResults("r1", "t1"));
  conversation.compact({ stubs: [], summary, firstKeptId: conversation.entryIds[2]!, note: "" }, "full");
  const left = conversation.lastId;
  const whole = [...conversation.messages];
  expect(conversation.moveBefore("u2")).toBe("u2");
  expect(conversation.messages.map(({ id }) => id)).toEqual(["u1", "a1"]);
  expect(conversation.moveBefore("u1")).toBe("u1");
  expect(conversation.messages).toEqual([]);
  conversation.moveTo(left!, "redo");
  expect(conversation.messages).toEqual(whole);
  expect(log.pathTo(conversation.lastId!).at(-1)).toMatchObject({ kind: "branch", by: "redo" });
  expect(() => conversation.moveBefore("a1")).toThrow("no such prompt");
  expect(project(restoredFrom(log.path).entries).messages).toEqual(whole);
  log.close();
});

test("agents write into one log, each its own conversation; a fork begins with what its parent said", async () => {
  await using folder = await tempProject();
  const { conversation: parent, log } = inFile(folder.dir, "s1");
  said(parent, asUser("u1"), asAssistant("a1", "t1"), asStarted("t1"));
  const fork = { entries: log.pathTo(parent.lastId!), lastId: parent.lastId };
  const alone = new Conversation({ log, agent: CHILD, ids: countedIds("c") }, undefined);
  const forked = new Conversation({ log, agent: { ...CHILD, agentId: "forked" }, ids: countedIds("f") }, fork);
  said(alone, asUser("c1"));
  said(forked, asUser("f1"));
  said(parent, asFinished("t1"));
  said(alone, asAssistant("c2"));
  said(parent, asResults("r1", "t1"));
  said(forked, asAssistant("f2"));
  expect(alone.messages.map(({ id }) => id)).toEqual(["c1", "c2"]);
  expect(forked.messages.map(({ id }) => id)).toEqual(["u1", "a1", "a1-results", "f1", "f2"]);
  expect(forked.messages.slice(0, 2)).toEqual(parent.messages.slice(0, 2));
  const restored = restoredFrom(log.path);
  expect(project(restored.entries).messages).toEqual(parent.messages);
  expect(restored.lastId).toBe(parent.lastId);
  expect(project(log.pathTo(forked.lastId!)).messages).toEqual(forked.messages);
  log.close();
});

test("calls of an answer that was thrown away are not those of the next, though the ids are the same", () => {
  const conversation = inMemory();
  said(
    conversation,
    asUser("u1"),
    { kind: "tool_started", toolUseId: "t", toolName: "Bash", answerId: "lost" },
    { kind: "tool_finished", result: result("t", "of the lost one"), answerId: "lost" },
    asAssistant("a1", "t"),
    asUser("u2"),
  );
  expect(JSON.stringify(conversation.messages[2])).toContain("Not run: Quoll ended before this call began.");
});

test("the same conversation has the same count, and freed tokens no longer count", () => {
  const conversation = inMemory();
  const large = result("t1", "x ".repeat(10_000));
  const usage = { inputTokens: 9_000, outputTokens: 1_000, cacheReadTokens: 0, cacheWriteTokens: 0 };
  said(
    conversation,
    asUser("u1"),
    asAssistant("a1", "t1"),
    { kind: "results", message: results("r1", large) },
    { kind: "assistant", message: { ...assistant("a2"), usage } },
    asUser("u2"),
  );
  expect(conversation.tokens.inputTokens(4_000)).toBeWithin(10_001, 10_010);
  conversation.compact({ stubs: [stub("r1", "t1")], note: "" }, "full");
  expect(conversation.tokens.inputTokens(0)).toBeLessThan(100);
  expect(conversation.tokens.inputTokens(4_000)).toBeGreaterThan(1_000);
});

/** One random thing that can happen to a conversation. */
function happen(conversation: Conversation, random: ReturnType<typeof seededRandom>, count: () => number): void {
  const word = () => "w".repeat(1 + random.below(40));
  const { messages, entryIds } = conversation;
  const at = random.below(Math.max(1, messages.length));
  const kind = random.below(10);
  if (kind < 3) said(conversation, asUser(`u${count()}`, word()));
  else if (kind < 6) {
    const answerId = `a${count()}`;
    const tools = random.some(3, () => `t${random.below(4)}`);
    const unique = [...new Set(tools)];
    const bodies = [
      asAssistant(answerId, ...unique),
      ...unique.flatMap(
        (id) =>
          [
            { ...asStarted(id), answerId },
            { ...asFinished(id), answerId },
          ] as EntryBody[],
      ),
      ...(unique.length > 0 ? [asResults(`r${count()}`, ...unique)] : []),
      { kind: "turn_finished", reason: "completed", costUsd: null } as const,
    ];
    // Now and then nothing more can be written.
    said(conversation, ...(random.chance(0.2) ? bodies.slice(0, random.below(bodies.length)) : bodies));
  } else if (kind === 6) {
    const stubs = messages.flatMap((message) =>
      message.role === "user" && random.chance(0.5)
        ? [
            {
              messageId: message.id,
              at: 0,
              block: {
                ...message.content[0]!,
                ...(message.content[0]?.type === "tool_result" && { content: "(gone)" }),
              },
            },
          ]
        : [],
    );
    conversation.compact({ stubs, note: "" }, "full");
  } else if (kind === 7 && messages[at] && !messages[at].content.some(({ type }) => type === "tool_result"))
    conversation.compact({ stubs: [], summary, firstKeptId: entryIds[at]!, note: "" }, "too_long");
  else if (kind === 8 && messages[at]) {
    // Within a call one can't go on.
    const isOpen = messages[at].content.some(({ type }) => type === "tool_use");
    const isClosed = messages[at].id.endsWith("-results");
    if (isOpen || isClosed) expect(() => conversation.moveTo(entryIds[at]!)).toThrow("a call was under way");
    else conversation.moveTo(entryIds[at]!);
  } else if (random.chance(0.1)) conversation.append({ kind: "cleared" });
}

seededTest(
  "whatever happens, the file gives what the running conversation has, and any cut of it a valid one",
  { seed: 1, cases: { quick: 2, deep: 300 } },
  async (first, cases) => {
    await using folder = await tempProject();
    for (let seed = first; seed < first + cases; seed += 1) {
      const random = seededRandom(seed);
      let number = 0;
      const { conversation, log } = inFile(folder.dir, `s${seed}`, countedIds(`e${seed}`));
      said(conversation, asUser("first"));
      for (let step = 0; step < 25; step += 1) {
        happen(conversation, random, () => ++number);
        const { entries, lastId } = restoredFrom(log.path);
        const again = project(entries);
        expect([seed, step, lastId]).toEqual([seed, step, conversation.lastId]);
        // A call without its result is closed when the next thing is said, or the session is read back.
        const open = again.messages.length - conversation.messages.length;
        expect([seed, step, open === 0 || open === 1]).toEqual([seed, step, true]);
        expect(again.messages.slice(0, conversation.messages.length)).toEqual([...conversation.messages]);
        if (open === 0) expect(again.tokens.inputTokens(400)).toBe(conversation.tokens.inputTokens(400));
        expect([seed, step, brokenPairs(again.messages)]).toEqual([seed, step, []]);
      }
      const whole = readFileSync(log.path);
      const cut = folder.path("cut.jsonl");
      for (let size = 0; size < whole.length; size += 1 + random.below(400)) {
        writeFileSync(cut, whole.subarray(0, size));
        expect([seed, size, brokenPairs(project(restoredFrom(cut).entries).messages)]).toEqual([seed, size, []]);
      }
      log.close();
    }
  },
  60_000,
);
