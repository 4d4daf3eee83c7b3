import {
  type AssistantMessage,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
  toolUses,
  type UserBlock,
  type UserMessage,
} from "../../contracts/message.ts";
import type { Entry } from "../../contracts/session.ts";

const INTERRUPTED =
  "Interrupted: Quoll ended while this call was running; it may have run in part. Check before repeating it.";
const NOT_RUN = "Not run: Quoll ended before this call began.";

/**
 * Builds the history out of the entries of a conversation. Each tool_use gets exactly one tool_result in the message that
 * follows: the one that was sent, else the one that was noted when the call ended, else one that says what is known. Nothing
 * is ever run again.
 */
export function restoreMessages(entries: readonly Entry[]): readonly Message[] {
  const history = new History();
  for (const entry of entries) history.add(entry);
  return history.finish();
}

class History {
  readonly #messages: Message[] = [];
  readonly #seen = new Set<string>();
  /** What is known of calls since the last results; calls may start before their message is complete. */
  readonly #started = new Set<string>();
  readonly #finished = new Map<string, ToolResultBlock>();
  /** The message whose calls still wait for their results. */
  #open: AssistantMessage | undefined;

  add(entry: Entry): void {
    switch (entry.kind) {
      case "user":
        if (this.#isRepeated(entry.message)) return;
        this.#close();
        this.#messages.push(entry.message);
        return;
      case "assistant":
        if (this.#isRepeated(entry.message)) return;
        this.#close();
        this.#messages.push(entry.message);
        if (toolUses(entry.message).length > 0) this.#open = entry.message;
        return;
      case "results":
        if (this.#isRepeated(entry.message)) return;
        this.#addResults(entry.message);
        return;
      case "tool_started":
        this.#started.add(entry.toolUseId);
        return;
      case "tool_finished":
        if (!this.#finished.has(entry.result.toolUseId)) this.#finished.set(entry.result.toolUseId, entry.result);
        return;
      default:
        return;
    }
  }

  finish(): readonly Message[] {
    this.#close();
    return this.#messages;
  }

  #isRepeated(message: Message): boolean {
    if (this.#seen.has(message.id)) return true;
    this.#seen.add(message.id);
    return false;
  }

  #addResults(message: UserMessage): void {
    const open = this.#open;
    if (!open) {
      // The message that it answers was lost: results without their calls are refused by every provider.
      const rest = message.content.filter((block) => block.type !== "tool_result");
      if (rest.length > 0) this.#messages.push({ ...message, content: rest });
      return;
    }
    for (const block of message.content) if (block.type === "tool_result") this.#finished.set(block.toolUseId, block);
    const rest = message.content.filter((block) => block.type !== "tool_result");
    this.#messages.push({ ...message, content: [...this.#resultsFor(open), ...rest] });
    this.#settle();
  }

  /** Answers calls whose results never came. The id is derived, so that every restore gives the same history. */
  #close(): void {
    const open = this.#open;
    if (!open) return;
    this.#messages.push({ role: "user", id: `${open.id}-results`, content: this.#resultsFor(open) });
    this.#settle();
  }

  #settle(): void {
    this.#open = undefined;
    this.#started.clear();
    this.#finished.clear();
  }

  #resultsFor(message: AssistantMessage): readonly UserBlock[] {
    return toolUses(message).map((use) => this.#resultFor(use));
  }

  #resultFor({ id }: ToolUseBlock): ToolResultBlock {
    const known = this.#finished.get(id);
    if (known) return known;
    const content = this.#started.has(id) ? INTERRUPTED : NOT_RUN;
    return { type: "tool_result", toolUseId: id, content, isError: true };
  }
}
