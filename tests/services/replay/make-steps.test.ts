import { expect, test } from "bun:test";
import type { AssistantMessage } from "../../../src/contracts/message.ts";
import { NO_USAGE } from "../../../src/contracts/message.ts";
import { type Entry, type EntryBody, SESSION_FORMAT } from "../../../src/contracts/session.ts";
import { makeRecording, redactRecording } from "../../../src/services/replay/make-recording.ts";
import { makeSteps } from "../../../src/services/replay/make-steps.ts";

const entriesOf = (...bodies: readonly EntryBody[]): readonly Entry[] =>
  bodies.map((body, at) => ({
    v: SESSION_FORMAT,
    id: `e${at}`,
    parentId: at === 0 ? null : `e${at - 1}`,
    time: "",
    ...body,
  }));

const answer = (id: string, ...calls: readonly string[]): AssistantMessage => ({
  role: "assistant",
  id,
  model: "m",
  content: calls.map((call) => ({ type: "tool_use", id: call, name: "Read", input: {} })),
  stopReason: calls.length > 0 ? "tool_use" : "end_turn",
  usage: NO_USAGE,
});
const result = (toolUseId: string, content: string) =>
  ({ type: "tool_result", toolUseId, content, isError: false }) as const;
const said = (id: string, prompt: string): EntryBody => ({
  kind: "user",
  prompt,
  message: { role: "user", id, content: [{ type: "text", text: `context\n${prompt}` }] },
});

test("each answer is followed by the results of its calls, in call order, as they were before they were fitted", () => {
  const steps = makeSteps(
    entriesOf(
      { kind: "session", sessionId: "s", cwd: "/p", version: "1" },
      said("u1", "go"),
      // Calls that are safe begin before their answer is complete.
      { kind: "tool_started", toolUseId: "b", toolName: "Read" },
      { kind: "tool_finished", result: result("b", "whole of b") },
      { kind: "assistant", message: answer("m1", "a", "b") },
      { kind: "tool_finished", result: result("a", "refused") },
      {
        kind: "results",
        message: { role: "user", id: "r1", content: [result("a", "refused"), result("b", "b in short")] },
      },
      { kind: "assistant", message: answer("m2") },
      { kind: "turn_finished", reason: "completed", costUsd: null },
    ),
  );
  expect(steps).toEqual([
    { kind: "setup", isStart: true, cwd: "/p", version: "1" },
    { kind: "said", by: "user", prompt: "go" },
    { kind: "answer", message: answer("m1", "a", "b") },
    { kind: "result", toolUseId: "a", ran: false, content: "refused", isError: false },
    { kind: "result", toolUseId: "b", ran: true, content: "whole of b", isError: false },
    { kind: "answer", message: answer("m2") },
    { kind: "turn_end", reason: "completed" },
  ]);
});

test("a call that died with its process has no result, and a repeated message counts once", () => {
  const steps = makeSteps(
    entriesOf(
      said("u1", "go"),
      { kind: "assistant", message: answer("m1", "a", "b") },
      { kind: "assistant", message: answer("m1", "a", "b") },
      { kind: "tool_started", toolUseId: "a", toolName: "Read" },
      { kind: "tool_finished", result: result("a", "a") },
      { kind: "tool_started", toolUseId: "b", toolName: "Read" },
      said("u2", "again"),
      { kind: "assistant", message: answer("m2", "b") },
      { kind: "tool_finished", result: result("b", "refused") },
    ),
  );
  expect(steps.map((step) => (step.kind === "result" ? [step.toolUseId, step.ran] : step.kind))).toEqual([
    "said",
    "answer",
    ["a", true],
    "said",
    "answer",
    ["b", false],
  ]);
});

test("parts of an answer for its provider alone are left out", () => {
  const message: AssistantMessage = {
    ...answer("m1"),
    content: [
      { type: "thinking", thinking: "Hm.", signature: "secret" },
      { type: "redacted_thinking", data: "secret" },
      { type: "text", text: "Yes.", signature: "secret" },
      { type: "tool_use", id: "a", name: "Read", input: { file_path: "x" }, signature: "secret" },
      { type: "opaque", data: { kept: true } },
    ],
  };
  const [step] = makeSteps(entriesOf({ kind: "assistant", message }));
  expect(JSON.stringify(step)).not.toContain("secret");
  expect(step?.kind === "answer" && step.message.content.map(({ type }) => type)).toEqual([
    "thinking",
    "text",
    "tool_use",
    "opaque",
  ]);
});

test("a recording lists the data that it lacks", async () => {
  const uses = (...names: readonly string[]): EntryBody => ({
    kind: "assistant",
    message: {
      ...answer(`m-${names}`),
      content: names.map((name, at) => ({ type: "tool_use", id: `${at}`, name, input: {} })),
    },
  });
  const places = { project: ["/p"], session: ["/s"], home: ["/h"] };
  const source = { sessionId: "s", version: "1", madeAt: "now", places, present: async () => undefined };
  const old = await makeRecording({ ...source, entries: entriesOf(uses("Bash", "Grep", "mcp__far__ask")) });
  expect(old.head.missing).toEqual([
    "mode, tools and platform of the session (an older Quoll did not note them)",
    "files that only commands read or changed",
    "files that only searches found",
    "the servers of MCP tools",
  ]);
  const setup = {
    kind: "setup",
    isStart: true,
    cwd: "/p/x",
    mode: "plan",
    model: "m",
    tools: [],
    platform: "p",
  } as const;
  const entries = entriesOf({ ...setup, version: "1", head: "abc" }, uses("Read"));
  const made = await makeRecording({ ...source, entries });
  expect(made.head.missing).toEqual([]);
  expect(made.steps[0]).toEqual({ ...setup, cwd: "~{project}/x", version: "1", head: "abc" });
});

test("a secret is hidden wherever it stands: by its shape, by the name of its field, and before it is known for one", () => {
  const redactor = {
    redact: (text: string) => {
      for (const [, value = ""] of text.matchAll(/"password":"([^"[]+)"/g)) known.add(value);
      let shown = text.replaceAll("sk-1234", "[[HIDDEN]]");
      for (const value of known) shown = shown.replaceAll(value, "[[HIDDEN]]");
      return shown;
    },
    restore: async (text: string) => text,
    placeholdersIn: () => [],
  };
  const known = new Set<string>();
  const message: AssistantMessage = {
    ...answer("m1"),
    content: [{ type: "tool_use", id: "a", name: "mcp__db__open", input: { password: "hunter22" } }],
  };
  const steps = makeSteps(entriesOf(said("u1", "use hunter22 or sk-1234"), { kind: "assistant", message }));
  const head = { kind: "recording", format: 1, sessionId: "s", version: "1", madeAt: "" } as const;
  const files = [{ kind: "file", path: "a", text: "pass hunter22", isChanged: false }] as const;
  const missing = ["the state before the session of hunter22.txt, sk-1234"];
  const redacted = redactRecording({ head: { ...head, missing, isRedacted: false }, files, steps }, redactor);
  expect(JSON.stringify(redacted)).not.toMatch(/hunter22|sk-1234/);
  expect(redacted.head.isRedacted).toBe(true);
  expect(redacted.steps[0]).toEqual({ kind: "said", by: "user", prompt: "use [[HIDDEN]] or [[HIDDEN]]" });
});
