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
  AssistantMessage,
  DocumentBlock,
  ImageBlock,
  JsonObject,
  TextBlock,
  ToolResultBlock,
  ToolResultContent,
} from "../../../contracts/message.ts";
import { BAD_DOCUMENT, BAD_IMAGE, checkedImage, isPdf, NO_DOCUMENTS, NO_IMAGES } from "../history/media.ts";
import { TranslationCache } from "../history/translation-cache.ts";

export type TranslationOptions = {
  /** True if the model accepts images; otherwise each image becomes a note. */
  readonly images: boolean;
  /** True if the model accepts PDFs. */
  readonly documents: boolean;
};

type UserParam = TextBlockParam | ImageBlockParam | DocumentBlockParam;

const usersWords = new TranslationCache<TextBlock | ImageBlock | DocumentBlock, readonly UserParam[]>();
const answers = new TranslationCache<AssistantBlock, readonly ContentBlockParam[]>();
const results = new TranslationCache<ToolResultBlock, ToolResultBlockParam>();

const NO_DOCUMENT_IN_ERROR = "[A PDF was here; the API accepts none in a failed result.]";
const NO_IMAGE_IN_ERROR = "[An image was here; the API accepts none in a failed result.]";
/** Fields that may be null, but not omitted. */
const REQUIRED_IN_CITATION: ReadonlySet<string> = new Set(["document_title", "title"]);
/** Source: the API's own pattern for tool names, ^[a-zA-Z0-9_-]{1,128}$. */
const MAX_NAME_CHARS = 128;

/** The API rejects empty and blank text, so it yields no block. */
export function userBlocks(
  block: TextBlock | ImageBlock | DocumentBlock,
  options: TranslationOptions,
): readonly UserParam[] {
  return usersWords.of(block, wayOf(options), () => newUserBlocks(block, options));
}

function wayOf({ images, documents }: TranslationOptions): string {
  return `${images ? "images" : ""} ${documents ? "documents" : ""}`;
}

function newUserBlocks(block: TextBlock | ImageBlock | DocumentBlock, options: TranslationOptions): UserParam[] {
  if (block.type === "text") return textBlocks(block.text);
  if (block.type === "document") {
    if (!options.documents) return textBlocks(NO_DOCUMENTS);
    return isPdf(block) ? [documentBlock(block)] : textBlocks(BAD_DOCUMENT);
  }
  if (!options.images) return textBlocks(NO_IMAGES);
  const image = checkedImage(block);
  return image ? [imageBlock(image)] : textBlocks(BAD_IMAGE);
}

function documentBlock({ mediaType, data, title }: DocumentBlock): DocumentBlockParam {
  const source = { type: "base64", media_type: mediaType, data } as const;
  return { type: "document", source, ...(title && { title: title.toWellFormed() }) };
}

/**
 * The blocks of an answer to send back. Thinking is returned byte for byte, or omitted if it is another model's, has no
 * signature, or would end the message (the API rejects that).
 * @param nextId called for each tool call, in order; returns the id to send.
 */
export function assistantBlocks(
  { content }: AssistantMessage,
  keepThinking: boolean,
  nextId: (given: string) => string,
): ContentBlockParam[] {
  const blocks = content.flatMap((block) => {
    const id = block.type === "tool_use" ? nextId(block.id) : "";
    return answers.of(block, `${keepThinking} ${id}`, () => assistantBlock(block, keepThinking, id));
  });
  return blocks.slice(0, blocks.findLastIndex(({ type }) => type !== "thinking" && type !== "redacted_thinking") + 1);
}

function assistantBlock(block: AssistantBlock, keepThinking: boolean, callId: string): ContentBlockParam[] {
  switch (block.type) {
    case "text":
      return textBlocks(block.text, keepThinking ? block.citations : undefined);
    case "thinking": {
      const isWhole = block.signature !== "" && block.thinking.isWellFormed() && block.signature.isWellFormed();
      if (!keepThinking || !isWhole) return [];
      return [{ type: "thinking", thinking: block.thinking, signature: block.signature }];
    }
    case "redacted_thinking":
      return keepThinking && block.data !== "" ? [{ type: "redacted_thinking", data: block.data }] : [];
    case "opaque":
      // The API gave this type; the list of types changes too fast to check here.
      return keepThinking ? [block.data as unknown as ContentBlockParam] : [];
    case "tool_use": {
      const input = block.malformed ? {} : wellFormed(block.input);
      return [{ type: "tool_use", id: callId, name: toolName(block.name), input }];
    }
  }
}

export function resultBlock(
  block: ToolResultBlock,
  toolUseId: string,
  options: TranslationOptions,
): ToolResultBlockParam {
  return results.of(block, `${wayOf(options)} ${toolUseId}`, () => newResultBlock(block, toolUseId, options));
}

function newResultBlock(
  { content, isError }: ToolResultBlock,
  toolUseId: string,
  options: TranslationOptions,
): ToolResultBlockParam {
  const sent = resultContent(content, isError, options);
  return {
    type: "tool_result",
    tool_use_id: toolUseId,
    ...(sent.length > 0 && { content: sent }),
    ...(isError && { is_error: true }),
  };
}

function resultContent(
  content: ToolResultContent,
  isError: boolean,
  options: TranslationOptions,
): string | UserParam[] {
  if (typeof content === "string") return content.trim() === "" ? "" : content.toWellFormed();
  return content.flatMap((block) => {
    if (isError && block.type === "image") return textBlocks(NO_IMAGE_IN_ERROR);
    return isError && block.type === "document" ? textBlocks(NO_DOCUMENT_IN_ERROR) : newUserBlocks(block, options);
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

/** The same JSON value with unpaired surrogates replaced, in keys and values; the value itself if it has none. */
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]));
}
