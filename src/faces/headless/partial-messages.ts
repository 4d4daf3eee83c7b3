import type { EngineEvent } from "../../contracts/event.ts";
import type { AssistantBlock, AssistantMessage } from "../../contracts/message.ts";
import type { Ids } from "../../contracts/ports.ts";
import { type WireLine, wireAssistantBlock, wireStopReason, wireUsage } from "./wire-format.ts";

type Shown = { readonly kind: "text" | "thinking" } | { readonly kind: "tool_use"; readonly id: string };
type Open = {
  readonly messageId: string;
  /** The blocks that were started, in order. */
  readonly shown: Shown[];
  /** True if the last block is still open. */
  isOpen: boolean;
};

/**
 * Streams an answer as the events of the Anthropic Messages API, whatever the provider. Content without deltas is sent
 * when the answer is complete. A restarted answer begins with another `message_start`; an earlier part without a
 * `message_stop` is void.
 */
export class PartialMessages {
  readonly #ids: Ids;
  #model = "";
  #open: Open | undefined;

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  /** The id of the partly streamed answer to which this event belongs; undefined if there is none. */
  get messageId(): string | undefined {
    return this.#open?.messageId;
  }

  /** The stream events for one event of Quoll. Must be called before `assistant_message` is reported. */
  events(event: EngineEvent): readonly WireLine[] {
    switch (event.type) {
      case "request_started":
        this.#model = event.model;
        this.#open = undefined;
        return [];
      case "restarted":
        this.#open = undefined;
        return [];
      case "text_delta":
        return this.#delta({ kind: "text" }, { type: "text_delta", text: event.text });
      case "thinking_delta":
        return this.#delta({ kind: "thinking" }, { type: "thinking_delta", thinking: event.text });
      case "tool_input_delta": {
        const { toolUseId: id, toolName: name, json } = event;
        const start = { type: "tool_use", id, name, input: {} };
        return this.#delta({ kind: "tool_use", id }, { type: "input_json_delta", partial_json: json }, start);
      }
      case "assistant_message":
        return this.#finish(event.message);
      default:
        return [];
    }
  }

  /** Forgets an answer that is complete or was dropped. */
  reset(): void {
    this.#open = undefined;
  }

  #delta(shown: Shown, delta: WireLine, start: WireLine = EMPTY[shown.kind]): readonly WireLine[] {
    const lines: WireLine[] = [];
    const open = this.#begun(lines);
    const last = open.shown.at(-1);
    if (!open.isOpen || !last || !isSame(last, shown)) {
      lines.push(...closed(open));
      open.shown.push(shown);
      open.isOpen = true;
      lines.push({ type: "content_block_start", index: open.shown.length - 1, content_block: start });
    }
    lines.push({ type: "content_block_delta", index: open.shown.length - 1, delta });
    return lines;
  }

  #begun(lines: WireLine[]): Open {
    if (this.#open) return this.#open;
    const id = this.#ids.next();
    this.#open = { messageId: id, shown: [], isOpen: false };
    const usage = wireUsage({ inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 });
    const ends = { stop_reason: null, stop_sequence: null };
    const message = { id, type: "message", role: "assistant", model: this.#model, content: [], ...ends, usage };
    lines.push({ type: "message_start", message });
    return this.#open;
  }

  #finish({ content, stopReason, usage }: AssistantMessage): readonly WireLine[] {
    const lines: WireLine[] = [];
    const open = this.#begun(lines);
    lines.push(...closed(open));
    const told = [...open.shown];
    for (const block of content) {
      const at = told.findIndex((shown) => isShownAs(block, shown));
      if (at >= 0) told.splice(0, at + 1);
      else lines.push(...whole(block, open));
    }
    const delta = { stop_reason: wireStopReason(stopReason), stop_sequence: null };
    return [...lines, { type: "message_delta", delta, usage: wireUsage(usage) }, { type: "message_stop" }];
  }
}

const EMPTY = {
  text: { type: "text", text: "" },
  thinking: { type: "thinking", thinking: "", signature: "" },
  tool_use: {},
} as const;

function closed(open: Open): readonly WireLine[] {
  if (!open.isOpen) return [];
  open.isOpen = false;
  return [{ type: "content_block_stop", index: open.shown.length - 1 }];
}

/** A block without deltas. */
function whole(block: AssistantBlock, open: Open): readonly WireLine[] {
  const index = open.shown.length;
  open.shown.push(block.type === "tool_use" ? { kind: "tool_use", id: block.id } : { kind: "text" });
  const lines = (start: WireLine, delta?: WireLine): readonly WireLine[] => [
    { type: "content_block_start", index, content_block: start },
    ...(delta ? [{ type: "content_block_delta", index, delta }] : []),
    { type: "content_block_stop", index },
  ];
  switch (block.type) {
    case "text":
      return lines(EMPTY.text, { type: "text_delta", text: block.text });
    case "thinking":
      return lines(EMPTY.thinking, { type: "thinking_delta", thinking: block.thinking });
    case "tool_use": {
      const start = { type: "tool_use", id: block.id, name: block.name, input: {} };
      return lines(start, { type: "input_json_delta", partial_json: JSON.stringify(block.input) });
    }
    default:
      return lines(wireAssistantBlock(block));
  }
}

function isSame(a: Shown, b: Shown): boolean {
  return a.kind === b.kind && (a.kind !== "tool_use" || (b.kind === "tool_use" && a.id === b.id));
}

function isShownAs(block: AssistantBlock, shown: Shown): boolean {
  if (block.type === "tool_use") return shown.kind === "tool_use" && shown.id === block.id;
  return block.type === shown.kind;
}
