import type {
  ContentBlockParam,
  DocumentBlockParam,
  ImageBlockParam,
  TextBlockParam,
  TextCitationParam,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import type {
  AssistantBlock,
  DocumentBlock,
  ImageBlock,
  JsonObject,
  TextBlock,
  ToolResultContent,
} from "../../../contracts/message.ts";
import { type MediaAbilities, sendable } from "../history/media.ts";
import type { CallAnswer, Turn, TurnRules } from "../history/turns.ts";
import { wellFormed } from "../history/well-formed.ts";

/** A turn in the form of the API. */
export type ClaudeTurn = { readonly role: "user" | "assistant"; readonly content: readonly ContentBlockParam[] };

type UserParam = TextBlockParam | ImageBlockParam | DocumentBlockParam;

const NO_DOCUMENT_IN_ERROR = "[A PDF was here; the API accepts none in a failed result.]";
const NO_IMAGE_IN_ERROR = "[An image was here; the API accepts none in a failed result.]";
/** Fields that may be null, but not omitted. */
const REQUIRED_IN_CITATION: ReadonlySet<string> = new Set(["document_title", "title"]);
/** Source: the API's own pattern for tool names, ^[a-zA-Z0-9_-]{1,128}$. */
const MAX_NAME_CHARS = 128;

/** The rules for histories of Claude. @param isOwn True if the requested model wrote the message; the API rejects another model's thinking. */
export function claudeRules(isOwn: TurnRules["isOwn"]): TurnRules {
  return { isOwn, keep: keptBlock, ids: plainIds };
}

function keptBlock(block: AssistantBlock, isOwn: boolean): AssistantBlock | undefined {
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? undefined : block;
    case "thinking": {
      const isWhole = block.signature !== "" && block.thinking.isWellFormed() && block.signature.isWellFormed();
      return isOwn && isWhole ? block : undefined;
    }
    case "redacted_thinking":
      return isOwn && block.data !== "" ? block : undefined;
    case "opaque":
      return isOwn ? block : undefined;
    case "tool_use":
      return block;
  }
}

/** Ids that the API would reject (duplicates, invalid characters) are renamed. */
function plainIds(): (given: string) => string {
  const used = new Set<string>();
  return (given) => {
    const plain = given.replace(/[^a-zA-Z0-9_-]/g, "_") || "call";
    let id = plain;
    for (let count = 2; used.has(id); count += 1) id = `${plain}_${count}`;
    used.add(id);
    return id;
  };
}

/** A turn in the form of the API. */
export function claudeTurn(turn: Turn, abilities: MediaAbilities): ClaudeTurn {
  if (turn.role === "assistant")
    return { role: "assistant", content: turn.content.flatMap((block) => assistantBlock(block, turn.isOwn)) };
  const results = turn.answers.map((answer) => resultBlock(answer, abilities));
  const words = turn.words.flatMap((block) => userBlocks(block, abilities));
  return { role: "user", content: [...results, ...words] };
}

/** The API rejects empty and blank text, so it yields no block. */
function userBlocks(block: TextBlock | ImageBlock | DocumentBlock, abilities: MediaAbilities): UserParam[] {
  const sent = sendable(block, abilities);
  if (sent.type === "text") return textBlocks(sent.text);
  return [sent.type === "document" ? documentBlock(sent) : imageBlock(sent)];
}

function documentBlock({ mediaType, data, title }: DocumentBlock): DocumentBlockParam {
  const source = { type: "base64", media_type: mediaType, data } as const;
  return { type: "document", source, ...(title && { title: title.toWellFormed() }) };
}

/** A block to send back. Thinking is returned byte for byte. */
function assistantBlock(block: AssistantBlock, isOwn: boolean): ContentBlockParam[] {
  switch (block.type) {
    case "text":
      return textBlocks(block.text, isOwn ? block.citations : undefined);
    case "thinking":
      return [{ type: "thinking", thinking: block.thinking, signature: block.signature }];
    case "redacted_thinking":
      return [{ type: "redacted_thinking", data: block.data }];
    case "opaque":
      // The API gave this type; the list of types changes too fast to check here.
      return [block.data as unknown as ContentBlockParam];
    case "tool_use": {
      const input = block.malformed ? {} : wellFormed(block.input);
      return [{ type: "tool_use", id: block.id, name: toolName(block.name), input }];
    }
  }
}

function resultBlock({ callId, content, isError }: CallAnswer, abilities: MediaAbilities): ToolResultBlockParam {
  const sent = resultContent(content, isError, abilities);
  return {
    type: "tool_result",
    tool_use_id: callId,
    ...(sent.length > 0 && { content: sent }),
    ...(isError && { is_error: true }),
  };
}

function resultContent(content: ToolResultContent, isError: boolean, abilities: MediaAbilities): string | UserParam[] {
  if (typeof content === "string") return content.trim() === "" ? "" : content.toWellFormed();
  return content.flatMap((block) => {
    if (isError && block.type === "image") return textBlocks(NO_IMAGE_IN_ERROR);
    return isError && block.type === "document" ? textBlocks(NO_DOCUMENT_IN_ERROR) : userBlocks(block, abilities);
  });
}

function textBlocks(text: string, citations?: readonly JsonObject[]): TextBlockParam[] {
  if (text.trim() === "") return [];
  const sent = (citations ?? []).map(citationParam);
  return [{ type: "text", text: text.toWellFormed(), ...(sent.length > 0 && { citations: sent }) }];
}

/** An answer's citation has more fields than a request allows: empty fields and the file's id. */
function citationParam(citation: JsonObject): TextCitationParam {
  const kept = Object.entries(citation).filter(
    ([name, value]) => name !== "file_id" && (value !== null || REQUIRED_IN_CITATION.has(name)),
  );
  return Object.fromEntries(kept) as unknown as TextCitationParam;
}

function imageBlock({ mediaType, data }: ImageBlock): ImageBlockParam {
  return { type: "image", source: { type: "base64", media_type: mediaType, data } };
}

/** A name that a model invented may contain any character. */
function toolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_NAME_CHARS) || "unnamed";
}
