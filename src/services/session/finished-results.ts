import { isDeepStrictEqual } from "node:util";
import { withFinished } from "../../contracts/finished-results.ts";
import type { ToolResultBlock, UserBlock } from "../../contracts/message.ts";
import type { Entry, FinishedResult } from "../../contracts/session.ts";

/** Results that wait for their message; more calls than an answer makes. */
const MAX_WAITING = 500;

type Results = Extract<Entry, { kind: "results" }>;

/** Keeps each result once in a file: a message refers to the results that the entries of its calls hold. */
export class FinishedResults {
  /** The results that no message carries yet, by agent and call. */
  readonly #waiting = new Map<string, { readonly entryId: string; readonly result: ToolResultBlock }>();

  /** The form of an entry in the file. */
  stored(entry: Entry): Entry {
    if (entry.kind === "results") return this.#refer(entry);
    if (entry.kind !== "tool_finished") return entry;
    const { id: entryId, result } = entry;
    this.#waiting.set(keyOf(entry, result.toolUseId), { entryId, result });
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MAX_WAITING && oldest !== undefined) this.#waiting.delete(oldest);
    return entry;
  }

  #refer(entry: Results): Results {
    const finished: FinishedResult[] = [];
    const content: UserBlock[] = [];
    for (const [at, block] of entry.message.content.entries()) {
      const entryId = block.type === "tool_result" ? this.#take(entry, block) : undefined;
      if (entryId === undefined) content.push(block);
      else finished.push({ at, entryId });
    }
    if (finished.length === 0) return entry;
    return { ...entry, message: { ...entry.message, content }, finished };
  }

  #take(entry: Results, block: ToolResultBlock): string | undefined {
    const key = keyOf(entry, block.toolUseId);
    const known = this.#waiting.get(key);
    this.#waiting.delete(key);
    return known && isDeepStrictEqual(known.result, block) ? known.entryId : undefined;
  }
}

function keyOf({ agentId = "" }: Entry, toolUseId: string): string {
  return `${agentId} ${toolUseId}`;
}

/** The entries of a path as they were in the session that wrote them. */
export function withAllResults(path: readonly Entry[]): readonly Entry[] {
  const results = new Map(path.flatMap((entry) => (entry.kind === "tool_finished" ? [[entry.id, entry.result]] : [])));
  return path.map((entry) => (entry.kind === "results" ? withFinished(entry, (id) => results.get(id)) : entry));
}
