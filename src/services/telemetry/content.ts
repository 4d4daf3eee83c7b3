import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  ToolResultContent,
  UserBlock,
} from "../../contracts/message.ts";
import type { Redactor } from "../../contracts/ports.ts";

/** Maximum length of one value. A longer value ends in a note. */
export const MAX_CONTENT_CHARS = 32_768;

/** Prepares texts for sending: without credentials and with limited length. Exists only if content is to be sent. */
export class Content {
  readonly #redactor: Pick<Redactor, "redact">;

  constructor(redactor: Pick<Redactor, "redact">) {
    this.#redactor = redactor;
  }

  /** Redacts the whole text before cutting, so that no part of a credential remains. */
  text(text: string): string {
    const redacted = this.#redactor.redact(text);
    if (redacted.length <= MAX_CONTENT_CHARS) return redacted;
    return `${redacted.slice(0, MAX_CONTENT_CHARS)}… (${redacted.length - MAX_CONTENT_CHARS} more characters)`;
  }

  /** As JSON text. Each string is redacted separately, because an escaped quote could hide a credential's end. */
  json(value: unknown): string {
    const fitted = JSON.stringify(value, (_, part: unknown) => (typeof part === "string" ? this.text(part) : part));
    return this.text(fitted ?? "null");
  }

  /** The content that is new to the model: everything after its last answer. In the conventions' format of `gen_ai.input.messages`. */
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

/** One block in the conventions' format. Images, documents and provider-specific data are named, not sent. */
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
