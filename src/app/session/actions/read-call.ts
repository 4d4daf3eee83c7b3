import { dirname } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import { withoutAdvice } from "../../../contracts/advice.ts";
import type { AgentCall, CallRecord } from "../../../contracts/call-record.ts";
import { callTarget, titleFromInput } from "../../../contracts/call-target.ts";
import { errorMessage } from "../../../contracts/errors.ts";
import { type Message, type ToolResultBlock, textOf, toolUses } from "../../../contracts/message.ts";
import type { Entry, SessionLog } from "../../../contracts/session.ts";
import { isOpenTask, type Tasks } from "../../../contracts/task.ts";
import { OutputFile } from "../../../platform/processes/output-file.ts";
import type { SessionAgents } from "../../agent/session-agents.ts";

/** The maximum part of an output that is read, from its end. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
/** The maximum number of calls of an agent that are returned, newest first. */
const MAX_CALLS = 1_000;
const MAX_TITLE_COLUMNS = 200;
/** A shorter result in the conversation may be a stub of the real one. */
const MIN_WHOLE_CHARS = 16_000;

export type CallSources = {
  /** The absolute folder of the session's large outputs. */
  readonly folder: string;
  /** The messages in the model's view. */
  readonly messages: readonly Message[];
  readonly lastId: string | null;
  readonly log: Pick<SessionLog, "pathTo">;
  readonly tasks: Pick<Tasks, "list">;
  readonly agents: Pick<SessionAgents, "lastEntryOf">;
};

/**
 * Reads an ended call of the main conversation: its whole result, from the file that the result names or from the
 * session's file, and the calls of the agent that it started. If the output is longer than 1 MiB, only its end is read.
 * @throws {UserFacingError} the session's file can't be read.
 */
export async function readCall(sources: CallSources, toolUseId: string, signal: AbortSignal): Promise<CallRecord> {
  const task = sources.tasks.list().find((one) => one.agent && one.toolUseId === toolUseId);
  const agentId = task?.agent?.agentId;
  const calls = agentId === undefined ? undefined : callsOf(agentId, sources);
  const left = Math.max(0, (calls?.length ?? 0) - MAX_CALLS);
  const { output, notes } = await readOutput(sources, toolUseId, { hasAgent: task !== undefined, signal });
  return {
    ...(output !== undefined && { output }),
    notes: [
      ...notes,
      ...(left > 0 ? [`${plural(left, "earlier call")} not shown`] : []),
      ...(task && isOpenTask(task) ? ["the agent is still working: its calls so far"] : []),
    ],
    ...(calls && { calls: calls.slice(left) }),
  };
}

type Output = Pick<CallRecord, "output" | "notes">;

async function readOutput(
  sources: CallSources,
  toolUseId: string,
  { hasAgent, signal }: { readonly hasAgent: boolean; readonly signal: AbortSignal },
): Promise<Output> {
  const result = storedResult(sources, toolUseId, hasAgent);
  if (!result) return { notes: ["the whole output is no longer kept"] };
  const told = withoutAdvice(textOf(result.content));
  const path = fileOf(result, sources.folder);
  if (path === undefined) return { output: told.slice(-MAX_OUTPUT_BYTES), notes: [] };
  try {
    return await endOfFile(path, signal);
  } catch (error) {
    signal.throwIfAborted();
    return {
      output: told,
      notes: [`the whole output can't be read: ${oneLine(errorMessage(error), MAX_TITLE_COLUMNS)}`],
    };
  }
}

function storedResult(
  { messages, log, lastId }: CallSources,
  toolUseId: string,
  isShort: boolean,
): ToolResultBlock | undefined {
  const live = resultIn(messages, toolUseId);
  const isReal = live?.wholeIn !== undefined || textOf(live?.content ?? "").length >= MIN_WHOLE_CHARS;
  if (live && (isShort || isReal)) return live;
  if (lastId === null) return live;
  const logged = log.pathTo(lastId).flatMap((entry) => (entry.kind === "results" ? [entry.message] : []));
  return resultIn(logged, toolUseId) ?? live;
}

function resultIn(messages: readonly Message[], toolUseId: string): ToolResultBlock | undefined {
  for (const { content } of messages)
    for (const block of content) if (block.type === "tool_result" && block.toolUseId === toolUseId) return block;
  return undefined;
}

/** Only a file in the session's own folder is accepted, because a session's file may come from elsewhere. */
function fileOf({ wholeIn }: ToolResultBlock, folder: string): string | undefined {
  return wholeIn !== undefined && dirname(wholeIn) === folder ? wholeIn : undefined;
}

/** @throws {Error} the file can't be read. */
async function endOfFile(path: string, signal: AbortSignal): Promise<Output> {
  await using file = await OutputFile.open(path);
  const size = await file.size();
  signal.throwIfAborted();
  const start = Math.max(0, size - MAX_OUTPUT_BYTES);
  const lines = new TextDecoder()
    .decode(await file.read(start, size))
    .replace(/\n+$/, "")
    .split("\n");
  if (start === 0) return { output: lines.join("\n"), notes: [] };
  return { output: lines.slice(1).join("\n"), notes: [`the last 1 MiB; all of it: ${path}`] };
}

function callsOf(agentId: string, { agents, log }: CallSources): readonly AgentCall[] {
  const lastId = agents.lastEntryOf(agentId);
  const path = lastId === undefined ? [] : log.pathTo(lastId);
  const own = path.filter((entry) => entry.agentId === agentId);
  const failed = new Set(own.flatMap(failedCalls));
  const titles = new Map(own.flatMap(shownTitle));
  return own.flatMap((entry) => {
    if (entry.kind !== "assistant") return [];
    return toolUses(entry.message)
      .map(callTarget)
      .map(({ id, name, input }) => ({
        name,
        title: oneLine(titles.get(id) ?? titleFromInput(input), MAX_TITLE_COLUMNS),
        isError: failed.has(id),
      }));
  });
}

function failedCalls(entry: Entry): readonly string[] {
  if (entry.kind !== "results") return [];
  return entry.message.content.flatMap((block) =>
    block.type === "tool_result" && block.isError ? [block.toolUseId] : [],
  );
}

function shownTitle(entry: Entry): readonly (readonly [string, string])[] {
  return entry.kind === "shown" && entry.fact.type === "call" ? [[entry.fact.toolUseId, entry.fact.title]] : [];
}
