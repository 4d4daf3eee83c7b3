import { readdirSync } from "node:fs";
import { MAIN_AGENT } from "../../../src/contracts/agent.ts";
import {
  type AssistantMessage,
  type Message,
  NO_USAGE,
  type ToolResultBlock,
  toolUses,
  type UserMessage,
} from "../../../src/contracts/message.ts";
import type { Clock, Ids } from "../../../src/contracts/ports.ts";
import type { EntryBody, EntryPlace } from "../../../src/contracts/session.ts";
import { project } from "../../../src/engine/project.ts";
import { reopenSessionLog } from "../../../src/services/session/reopen-session-log.ts";
import { openSessionLog } from "../../../src/services/session/session-log.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { restoredFrom } from "../../support/session-files.ts";

export function countingIds(prefix = "e"): Ids {
  let count = 0;
  return { next: () => `${prefix}${++count}` };
}

type LogOptions = {
  readonly folder: string;
  readonly sessionId?: string;
  /** The working folder; by default one that does not exist. */
  readonly cwd?: string;
  readonly how?: "new" | "resume";
  readonly ids?: Ids;
  /** The agent of the entries; by default the session's own agent. */
  readonly agent?: EntryPlace["agent"];
};

const clock: Clock = fakeClock();
let opened = 0;

/** A log whose entries follow one another. */
export function openLog({ folder, sessionId = "s1", cwd = "/p", how = "new", ids, agent = MAIN_AGENT }: LogOptions) {
  opened += 1;
  const place = { folder, cwd, version: "1.0.0", clock, ids: ids ?? countingIds(`o${opened}-`) };
  const { log, restored } =
    how === "resume"
      ? reopenSessionLog(sessionId, place)
      : { log: openSessionLog(sessionId, place), restored: undefined };
  let parentId = restored?.lastId ?? null;
  return {
    path: log.path,
    append(body: EntryBody, after = parentId) {
      parentId = log.append(body, { parentId: after, agent }).id;
      return parentId;
    },
    sync: () => log.sync(),
    close: () => log.close(),
  };
}

/** Reads a session file back, with the messages that a model would get. */
export function restore(file: string) {
  const { entries, earlierIds, lastId: _, ...read } = restoredFrom(file);
  return { ...read, messages: project(entries, earlierIds).messages };
}

export const user = (id: string, text = id): UserMessage => ({ role: "user", id, content: [{ type: "text", text }] });

export const assistant = (id: string, ...toolIds: string[]): AssistantMessage => ({
  role: "assistant",
  id,
  model: "m",
  content: [
    { type: "text", text: `answer ${id}` },
    ...toolIds.map((toolId) => ({ type: "tool_use", id: toolId, name: "Bash", input: { command: "ls" } }) as const),
  ],
  stopReason: toolIds.length > 0 ? "tool_use" : "end_turn",
  usage: NO_USAGE,
});

export const result = (toolUseId: string, content = `result ${toolUseId}`, isError = false): ToolResultBlock => ({
  type: "tool_result",
  toolUseId,
  content,
  isError,
});

export const results = (id: string, ...blocks: ToolResultBlock[]): UserMessage => ({
  role: "user",
  id,
  content: blocks,
});

export const asUser = (id: string, prompt = id): EntryBody => ({ kind: "user", message: user(id, prompt), prompt });
export const asAssistant = (id: string, ...toolIds: string[]): EntryBody => ({
  kind: "assistant",
  message: assistant(id, ...toolIds),
});
export const asStarted = (toolUseId: string): EntryBody => ({ kind: "tool_started", toolUseId, toolName: "Bash" });
export const asFinished = (toolUseId: string): EntryBody => ({ kind: "tool_finished", result: result(toolUseId) });
export const asResults = (id: string, ...toolIds: string[]): EntryBody => ({
  kind: "results",
  message: results(id, ...toolIds.map((toolId) => result(toolId))),
});

/** The rule of every provider for a history: each tool_use has exactly one result, in the next message. */
export function brokenPairs(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message, index) => {
    const next = messages[index + 1];
    const before = messages[index - 1];
    if (message.role === "user") {
      const answers = message.content.flatMap((block) => (block.type === "tool_result" ? [block.toolUseId] : []));
      const asked = before?.role === "assistant" ? toolUses(before).map(({ id }) => id) : [];
      return answers.filter((id) => !asked.includes(id)).map((id) => `${id}: a result without its call`);
    }
    const answers = next?.role === "user" ? next.content : [];
    return toolUses(message).flatMap(({ id }) => {
      const count = answers.filter((block) => block.type === "tool_result" && block.toolUseId === id).length;
      return count === 1 ? [] : [`${id}: ${count} results`];
    });
  });
}

export const filesIn = (folder: string) => readdirSync(folder).sort();
