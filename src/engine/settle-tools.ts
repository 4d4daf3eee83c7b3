import type { EngineEvent } from "../contracts/event.ts";
import type { Message } from "../contracts/message.ts";
import type { ToolRecord } from "../contracts/tool-offer.ts";
import { announceTools } from "./announce-tools.ts";
import type { Conversation } from "./conversation.ts";
import type { InputQueue } from "./input-queue.ts";
import { inputSize, type SizeDeps } from "./request-size.ts";

const NOTE_ID = "deferred-tools";

export type SettleDeps = SizeDeps & {
  readonly system: string;
  readonly inputs: InputQueue;
  /** Called before each request, when its tools and notes are not fixed yet. */
  beforeRequest?(messages: readonly Message[]): Promise<void>;
};

/**
 * Fixes the tools of the next request: logs the tool array, reports changes of an array that was sent before, and
 * adds a note for the model about deferred tools that no message has announced.
 * @throws {Error} the log can't be written.
 */
export async function* settleTools(
  model: string,
  deps: SettleDeps,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, void> {
  const { tools, conversation, inputs, system, catalog } = deps;
  await deps.beforeRequest?.(conversation.messages);
  // The decision depends on the window of the model.
  await catalog.ready?.(model);
  await tools.listed(signal);
  const { toolNotes } = conversation;
  const change = tools.settle(toolNotes.record);
  const { record } = tools;
  if (record && (change || !isSame(record, toolNotes)))
    conversation.append({ kind: "tools", optional: true, ...record });
  if (change) yield { type: "tools_changed", ...change, resentTokens: inputSize(system, deps) };
  const { announced } = toolNotes;
  const fresh = tools.deferred.map(({ spec }) => spec.name).filter((name) => !announced.has(name));
  if (fresh.length === 0) inputs.withdrawNote(NOTE_ID);
  else {
    const { announcedTokens: usedTokens } = toolNotes;
    const { pendingServers } = tools;
    const purposeOf = (prefix: string) => tools.purposeOf(prefix);
    inputs.addNote(NOTE_ID, announceTools({ names: fresh, usedTokens, pendingServers, purposeOf }), fresh);
  }
}

/** Declarations are replaced only by a change that is recorded in any case. */
function isSame({ mode, array }: ToolRecord, { record }: Conversation["toolNotes"]): boolean {
  return record?.mode === mode && record.array.length === array.length;
}
