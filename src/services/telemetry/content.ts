import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  ToolResultContent,
  UserBlock,
} from "../../contracts/message.ts";
import type { Redactor } from "../../contracts/ports.ts";

/** Of one value. What is longer ends in a note. */
export const MAX_CONTENT_CHARS = 32_768;

/** Makes texts fit to leave the machine: without credentials, and not endless. Exists only where content was asked for. */
export class Content {
  readonly #redactor: Pick<Redactor, "redact">;

  constructor(redactor: Pick<Redactor, "redact">) {
    this.#redactor = redactor;
  }

  /** Redacted whole before it is cut, so that no half of a credential is left over. */
  text(text: string): string {
    const redacted = this.#redactor.redact(text);
    if (redacted.length <= MAX_CONTENT_CHARS) return redacted;
    return `${redacted.slice(0, MAX_CONTENT_CHARS)}… (${redacted.length - MAX_CONTENT_CHARS} more characters)`;
  }

  /** As JSON text. Each string in it is fitted by itself: a quote that JSON escapes could hide a credential's end. */
  json(value: unknown): string {
    const fitted = JSON.stringify(value, (_, part: unknown) => (typeof part === "string" ? this.text(part) : part));
    return this.text(fitted ?? "null");
  }

  /** What is new to the model: all that stands behind its last answer. As the conventions have `gen_ai.input.messages`. */
  input(messages: readonly Message[]): string {
    const last = messages.findLastIndex(({ role }) => role === "assistant");
    return this.json(messages.slice(last + 1).map(shownMessage));
  }

  output({ content, stopReason }: Pick<AssistantMessage, "content" | "stopReason">): string {
    return this.json([{ ...shownMessage({ role: "assistant", content }), finish_reason: stopReason }]);
  }

  result(content: ToolResultContent): string {
    return typeof content === "string" ? this.text(content) : this.json(content.map(part));
  }
}

type Shown = { readonly role: Message["role"]; readonly content: readonly (UserBlock | AssistantBlock)[] };

function shownMessage({ role, content }: Shown) {
  const isResults = content.length > 0 && content.every(({ type }) => type === "tool_result");
  return { role: isResults ? "tool" : role, parts: content.map(part) };
}

/** One block as the conventions have it. Pictures, documents and what only its provider can read are named, not sent. */
function part(block: UserBlock | AssistantBlock): Readonly<Record<string, unknown>> {
  switch (block.type) {
    case "text":
      return { type: "text", content: block.text };
    case "thinking":
      return { type: "reasoning", content: block.thinking };
    case "tool_use":
      return { type: "tool_call", id: block.id, name: block.name, arguments: block.input };
    case "tool_result": {
      const response = typeof block.content === "string" ? block.content : block.content.map(part);
      return { type: "tool_call_response", id: block.toolUseId, response };
    }
    case "image":
    case "document":
      return { type: block.type, mime_type: block.mediaType };
    default:
      return { type: block.type };
  }
}
