import { type AssistantBlock, type AssistantMessage, type ToolResultBlock, toolUses } from "../../contracts/message.ts";
import { factsOf } from "../../contracts/result-facts.ts";
import type { Entry } from "../../contracts/session.ts";
import type { Step } from "./recording.ts";

/**
 * The steps of a session from its conversation entries: each answer, then the results of its calls in call order. A
 * call whose process died has no result.
 */
export function makeSteps(entries: readonly Entry[]): readonly Step[] {
  const reader = new EntryReader();
  for (const entry of entries) reader.add(entry);
  return reader.finish();
}

class EntryReader {
  readonly #steps: Step[] = [];
  readonly #seen = new Set<string>();
  /** Calls since the last results; they may start before their answer is complete. */
  readonly #started = new Set<string>();
  readonly #finished = new Map<string, ToolResultBlock>();
  /** The answer whose calls have no results yet. */
  #open: AssistantMessage | undefined;

  add(entry: Entry): void {
    // If a crash caused two entries, the first is used.
    if ("message" in entry && this.#isRepeated(entry.message.id)) return;
    switch (entry.kind) {
      case "session":
        // Older sessions record no further configuration.
        this.#steps.push({ kind: "setup", isStart: true, cwd: entry.cwd, version: entry.version });
        return;
      case "setup": {
        const { isStart, cwd, mode, model, tools, platform, version, head } = entry;
        this.#close();
        if (this.#steps.at(-1)?.kind === "setup") this.#steps.pop();
        const setup = { isStart, cwd, mode, model, tools, platform, version };
        this.#steps.push({ kind: "setup", ...setup, ...(head !== undefined && { head }) });
        return;
      }
      case "user":
        this.#close();
        this.#steps.push({ kind: "said", by: entry.by ?? "user", prompt: entry.prompt });
        return;
      case "assistant":
        this.#close(false);
        this.#steps.push({ kind: "answer", message: withoutSignatures(entry.message) });
        this.#open = entry.message;
        return;
      case "tool_started":
        this.#started.add(entry.toolUseId);
        return;
      case "tool_finished":
        this.#note(entry.result);
        return;
      case "results":
        for (const block of entry.message.content) if (block.type === "tool_result") this.#note(block);
        this.#close();
        return;
      case "turn_finished":
        this.#close();
        this.#steps.push({ kind: "turn_end", reason: entry.reason });
        return;
      default:
        return;
    }
  }

  finish(): readonly Step[] {
    this.#close();
    return this.#steps;
  }

  #isRepeated(id: string): boolean {
    if (this.#seen.has(id)) return true;
    this.#seen.add(id);
    return false;
  }

  /** The call's own result, before a large result was moved to a file. */
  #note(result: ToolResultBlock): void {
    if (!this.#finished.has(result.toolUseId)) this.#finished.set(result.toolUseId, result);
  }

  /** @param forgets False if calls of the next answer may have begun already. */
  #close(forgets = true): void {
    const open = this.#open;
    this.#open = undefined;
    for (const { id } of open ? toolUses(open) : []) {
      const result = this.#finished.get(id);
      if (!result) continue;
      // The copy that a replay works on has other paths.
      const { knows: _, ...facts } = factsOf(result);
      const { content, isError } = result;
      const ran = this.#started.has(id);
      this.#steps.push({ kind: "result", toolUseId: id, ran, content, isError, ...facts });
      this.#finished.delete(id);
      this.#started.delete(id);
    }
    if (!forgets) return;
    this.#started.clear();
    this.#finished.clear();
  }
}

/** Signatures are useful only to their provider, which a replay does not ask. */
function withoutSignatures(message: AssistantMessage): AssistantMessage {
  const content = message.content.flatMap((block): readonly AssistantBlock[] => {
    switch (block.type) {
      case "redacted_thinking":
        return [];
      case "thinking":
        return [{ ...block, signature: "" }];
      case "text":
      case "tool_use": {
        const { signature: _, ...rest } = block;
        return [rest];
      }
      default:
        return [block];
    }
  });
  return { ...message, content };
}
