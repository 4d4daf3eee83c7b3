import { expect, test } from "bun:test";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { type CallSources, readCall } from "../../../../src/app/session/actions/read-call.ts";
import { MAIN_AGENT } from "../../../../src/contracts/agent.ts";
import { type Message, NO_USAGE } from "../../../../src/contracts/message.ts";
import { unsavedSessionLog } from "../../../../src/services/session/unsaved-session-log.ts";
import { agentTask } from "../../../support/shown-tasks.ts";
import { tempProject } from "../../../support/temp-project.ts";

const { signal } = new AbortController();

const result = (content: string, isError = false, wholeIn?: string): Message => ({
  role: "user",
  id: `r-${content.length}`,
  content: [{ type: "tool_result", toolUseId: "c1", content, isError, ...(wholeIn !== undefined && { wholeIn }) }],
});

const sources = (folder: string, rest: Partial<CallSources> = {}): CallSources => ({
  ...{ folder, messages: [], lastId: null, log: unsavedSessionLog({ sessionId: "s" }) },
  ...{ tasks: { list: () => [] }, agents: { lastEntryOf: () => undefined }, ...rest },
});

test("the file that a result names is read; a file that is gone, or outside of the session's folder, is not", async () => {
  await using project = await tempProject();
  const folder = `${project.dir}/outputs`;
  const file = `${folder}/bash-1.log`;
  await mkdir(folder);
  await writeFile(file, "first\nmiddle\nlast\n");
  const clipped = `first\n[… 1 lines (7 B) left out; all of it: ${file} …]\nlast`;
  const at = sources(folder, { messages: [result(clipped, false, file)] });
  expect(await readCall(at, "c1", signal)).toEqual({ output: "first\nmiddle\nlast", notes: [] });
  const secret = `${project.dir}/secrets/a.log`;
  const elsewhere = `[all of it: ${secret}]`;
  await mkdir(`${project.dir}/secrets`);
  await writeFile(secret, "a secret");
  const other = await readCall(sources(folder, { messages: [result(elsewhere, false, secret)] }), "c1", signal);
  expect(other).toEqual({ output: elsewhere, notes: [] });
  await rm(file);
  const { output, notes } = await readCall(at, "c1", signal);
  expect(output).toBe(clipped);
  expect(notes).toHaveLength(1);
  expect(notes[0]).toContain(file);
});

test("of a file over 1 MiB the end is read, from the beginning of a line on", async () => {
  await using project = await tempProject();
  const file = `${project.dir}/bash-2.log`;
  await writeFile(file, Array.from({ length: 200_000 }, (_, at) => `line ${at}\n`).join(""));
  const at = sources(project.dir, { messages: [result(`[the whole of it is in ${file} (Read works)]`, false, file)] });
  const { output = "", notes } = await readCall(at, "c1", signal);
  expect(output.length).toBeLessThanOrEqual(1024 * 1024);
  expect(output).toMatch(/^line \d+\n/);
  expect(output.endsWith("line 199999")).toBe(true);
  expect(notes).toEqual([`the last 1 MiB; all of it: ${file}`]);
});

test("a result that the model no longer has is read from the session's log", async () => {
  const log = unsavedSessionLog({ sessionId: "s" });
  const whole = "x".repeat(20_000);
  const message = result(whole);
  if (message.role !== "user") throw new Error("a result is a user message");
  const { id } = log.append({ kind: "results", message }, { parentId: null, agent: MAIN_AGENT });
  const at = sources("/none", { log, lastId: id, messages: [result("[cleared]")] });
  expect((await readCall(at, "c1", signal)).output).toBe(whole);
  expect((await readCall(sources("/none"), "c1", signal)).notes).toHaveLength(1);
});

test("the calls of the agent that a call started are read in order, with their ends", async () => {
  const log = unsavedSessionLog({ sessionId: "s" });
  const agent = { agentId: "agent-1", parentAgentId: "main" };
  const use = (id: string, name: string, input: Record<string, string>) =>
    ({ type: "tool_use", id, name, input }) as const;
  const content = [use("u1", "Read", { file_path: "a.ts" }), use("c1", "Bash", { command: "npm test" })];
  const message = { role: "assistant", id: "m", content, model: "m", usage: NO_USAGE, stopReason: "tool_use" } as never;
  const asked = log.append({ kind: "assistant", message }, { parentId: null, agent });
  const told = result("failed", true);
  if (told.role !== "user") throw new Error("a result is a user message");
  const last = log.append({ kind: "results", message: told }, { parentId: asked.id, agent });
  const task = agentTask("a1", "Explore", "look", { toolUseId: "call" });
  const own = { ...task, agent: { type: "Explore", activity: "", tokens: 0, calls: 2, agentId: "agent-1" } };
  const at = sources("/none", { log, tasks: { list: () => [own] }, agents: { lastEntryOf: () => last.id } });
  const { calls, notes } = await readCall(at, "call", signal);
  expect(calls).toEqual([
    { name: "Read", title: "a.ts", isError: false },
    { name: "Bash", title: "npm test", isError: true },
  ]);
  expect(notes.join()).toContain("still working");
});
