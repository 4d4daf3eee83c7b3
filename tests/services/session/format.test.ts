import { expect, test } from "bun:test";
import { appendFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply } from "@quoll/model-twin/scenario";
import { randomIds, systemClock } from "../../../src/platform/clock.ts";
import { parseEntry } from "../../../src/services/session/entry.ts";
import { forkSession } from "../../../src/services/session/fork-session.ts";
import { reopenSessionLog } from "../../../src/services/session/reopen-session-log.ts";
import { engineHarness } from "../../support/engine-harness.ts";
import { restoredFrom } from "../../support/session-files.ts";
import { tempProject } from "../../support/temp-project.ts";
import { asUser, brokenPairs, filesIn, openLog, restore, user } from "./support.ts";

/** Two turns with calls, written by the last Quoll that wrote format 1. */
const FORMAT_1 = join(import.meta.dir, "recorded/format-1.jsonl");

const linesOf = (path: string) =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("a session of format 1 is read and continued after its last entry", async () => {
  await using project = await tempProject();
  const path = project.path("s1.jsonl");
  cpSync(FORMAT_1, path);
  const before = readFileSync(path, "utf8");
  const { messages, warnings } = restore(path);
  expect([warnings, brokenPairs(messages)]).toEqual([[], []]);
  expect(messages.map(({ role }) => role).join(" ")).toBe(
    "user assistant user assistant user assistant user assistant",
  );
  const place = { folder: project.dir, cwd: "/p", version: "1", clock: systemClock, ids: randomIds };
  const { log, restored } = reopenSessionLog("s1", place);
  await using h = await engineHarness({
    scenario: [reply("Next.")],
    session: { log, restored },
  });
  await h.engine.submit({ prompt: "and now?" });
  const sent = JSON.stringify(h.twin.requests[0]?.body);
  for (const words of ["what does a.txt say?", "It says one and two.", "where is two?", "Line 2.", "and now?"])
    expect(sent).toContain(words);
  log.close();
  const after = readFileSync(path, "utf8");
  expect(after.startsWith(before)).toBe(true);
  const entries = linesOf(path);
  const added = entries.slice(before.trimEnd().split("\n").length);
  expect(new Set(added.map(({ v }) => v))).toEqual(new Set([2]));
  expect(added[0].parentId).toBe(entries[entries.length - added.length - 1].id);
  expect(restore(path).messages).toEqual([...h.engine.state.messages]);
});

const bookmark = (parentId: string | null, more: object = {}) =>
  `${JSON.stringify({ v: 2, id: "f1", parentId, time: "x", kind: "bookmark", what: [1], ...more })}\n`;

test("an unknown kind that is optional is skipped, and kept in a fork", async () => {
  await using project = await tempProject();
  const log = openLog({ folder: project.dir });
  const u1 = log.append(asUser("u1"));
  log.close();
  appendFileSync(log.path, bookmark(u1, { optional: true, agentId: "main", parentAgentId: null }));
  const again = openLog({ folder: project.dir, how: "resume" });
  again.append(asUser("u2"));
  again.close();
  expect(restore(log.path)).toMatchObject({ messages: [user("u1"), user("u2")], warnings: [] });
  const place = { folder: project.dir, cwd: "/p", version: "1", clock: systemClock, ids: randomIds };
  await forkSession({ from: "s1", newSessionId: "s2" }, place);
  const forked = linesOf(project.path("s2.jsonl"));
  expect(forked.map(({ kind }) => kind)).toEqual(["session", "user", "bookmark", "user"]);
  expect(forked[2]).toMatchObject({ optional: true, what: [1], parentId: u1 });
  expect(restore(project.path("s2.jsonl")).messages).toEqual([user("u1"), user("u2")]);
});

test("a file with an unknown kind that is not optional is neither read nor written", async () => {
  const text = bookmark(null);
  await using project = await tempProject({ "s1.jsonl": text });
  for (const open of [() => restore(project.path("s1.jsonl")), () => openLog({ folder: project.dir, how: "resume" })])
    expect(open).toThrow(/written by a newer Quoll \(.*"bookmark"\): update Quoll/);
  expect([readFileSync(project.path("s1.jsonl"), "utf8"), filesIn(project.dir)]).toEqual([text, ["s1.jsonl"]]);
});

test("entries of agents of the session stand beside the conversation, not in it", async () => {
  await using project = await tempProject();
  const log = openLog({ folder: project.dir });
  const u1 = log.append(asUser("u1"));
  log.close();
  const child = { v: 2, time: "x", agentId: "child", parentAgentId: "main" };
  const lines = [
    { ...child, id: "c1", parentId: null, ...asUser("c1") },
    { ...child, id: "c2", parentId: "c1", ...asUser("c2") },
    { ...child, id: "c3", parentId: "lost", ...asUser("c3") },
  ];
  writeFileSync(log.path, readFileSync(log.path, "utf8") + lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  expect(restore(log.path).messages).toEqual([user("u1")]);
  expect(restoredFrom(log.path).lastId).toBe(u1);
});

test("the ends of calls that older files tell in words are read as facts", () => {
  const read = (body: object) => {
    const line = parseEntry(JSON.stringify({ v: 2, id: "e", parentId: null, time: "", agentId: "main", ...body }));
    return line.kind === "entry" ? line.entry : undefined;
  };
  const block = (content: string) => ({ type: "tool_result", toolUseId: "t", content, isError: true });
  const no = block("The user refused this call and said: use bun");
  const end = { kind: "refused", by: { kind: "person", reason: "use bun" } };
  expect(read({ kind: "tool_finished", result: no })).toMatchObject({ result: { end } });
  // A command printed the words.
  expect(read({ kind: "tool_finished", result: no, hasFacts: true })).toMatchObject({ result: no });
  expect(read({ kind: "tool_finished", result: no, hasFacts: true })).not.toHaveProperty("result.end");
  const message = { role: "user", id: "u", content: [no, { type: "text", text: no.content }] };
  expect(read({ kind: "results", message })).toMatchObject({ message: { content: [{ end }, { type: "text" }] } });
  const fact = {
    type: "call",
    toolUseId: "t",
    title: "rm x",
    durationMs: 0,
    refusedBy: "deny rule Bash(rm *) (s.json:1)",
  };
  const refusedBy = { kind: "default", reason: "deny rule Bash(rm *) (s.json:1)" };
  expect(read({ kind: "shown", optional: true, fact })).toMatchObject({ fact: { refusedBy } });
});
