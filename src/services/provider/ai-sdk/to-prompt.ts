import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type {
  AssistantBlock,
  DocumentBlock,
  ImageBlock,
  TextBlock,
  ToolResultContent,
} from "../../../contracts/message.ts";
import { type MediaAbilities, sendable } from "../history/media.ts";
import type { AssistantTurn, CallAnswer, Turn, UserTurn } from "../history/turns.ts";
import { wellFormed } from "../history/well-formed.ts";
import { detailsBack } from "./reasoning-details.ts";
import { metadataOf } from "./signature.ts";
import type { Quirks } from "./wire.ts";

export type PromptOptions = MediaAbilities & {
  readonly system: string;
  readonly quirks: Quirks;
};

/** Source: OpenAI's and Google's API references: letters, digits, `_` and `-`, at most 64 characters, a letter or `_` first. */
const MAX_NAME_CHARS = 64;
const PICTURES_BELOW = "[Its images and PDFs follow in the next message.]";
const NO_OUTPUT = "(no output)";
const FAILED = "Error: ";
const READ = "I have the results.";

/** Converts turns of a history into an AI SDK prompt. Leaves blank texts out, and describes content that the model does not accept. */
export function toPrompt(turns: readonly Turn[], options: PromptOptions): LanguageModelV4Prompt {
  const { quirks } = options;
  const system = options.system.toWellFormed().trim() === "" ? undefined : options.system.toWellFormed();
  const loopStart = turns.findLastIndex((turn) => turn.role === "user" && turn.answers.length === 0);
  const messages = turns.flatMap((turn, index) =>
    turn.role === "user"
      ? apart(userMessages(turn, options), quirks)
      : assistantMessages(turn, options, quirks.reasoningBack === "tool-loop" ? index > loopStart : true),
  );
  if (system === undefined) return messages;
  return quirks.systemRole ? [{ role: "system", content: system }, ...messages] : withFirstWords(messages, system);
}

/** For a provider without a system role: the text comes before the first user message. */
function withFirstWords(messages: readonly LanguageModelV4Message[], system: string): LanguageModelV4Prompt {
  const [first, ...rest] = messages;
  const words: LanguageModelV4TextPart = { type: "text", text: system };
  if (first?.role !== "user") return [{ role: "user", content: [words] }, ...messages];
  return [{ ...first, content: [words, ...first.content] }, ...rest];
}

function userMessages({ answers, words }: UserTurn, options: PromptOptions): LanguageModelV4Message[] {
  const results = answers.map((answer) => toolResult(answer, options));
  const content = [...results.flatMap(({ beside }) => beside), ...words.flatMap((block) => wordParts(block, options))];
  return [
    ...(results.length > 0 ? [{ role: "tool" as const, content: results.map(({ part }) => part) }] : []),
    ...(content.length > 0 ? [{ role: "user" as const, content }] : []),
  ];
}

/** Some servers reject a user message directly after results. */
function apart(messages: LanguageModelV4Message[], { userAfterTool }: Quirks): LanguageModelV4Message[] {
  const [results, ...words] = messages;
  if (userAfterTool || results?.role !== "tool" || words.length === 0) return messages;
  return [results, { role: "assistant", content: [{ type: "text", text: READ }] }, ...words];
}

function toolResult({ callId, toolName, content, isError }: CallAnswer, options: PromptOptions) {
  const { output, beside } = resultOutput(content, isError, options);
  const part = { type: "tool-result", toolCallId: callId, toolName: sentName(toolName), output } as const;
  return { part, beside };
}

/** A name that a vendor accepts: all tools have one, but a model of another vendor may have invented another. */
function sentName(name: string): string {
  const plain = name.replace(/[^a-zA-Z0-9_-]/g, "_");
  return (/^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`).slice(0, MAX_NAME_CHARS);
}

type SplitResult = {
  readonly output: LanguageModelV4ToolResultOutput;
  /** Images and PDFs that the vendor accepts only from the user. */
  readonly beside: readonly (LanguageModelV4TextPart | LanguageModelV4FilePart)[];
};

function resultOutput(content: ToolResultContent, isError: boolean, options: PromptOptions): SplitResult {
  const parts =
    typeof content === "string" ? textParts(content) : content.flatMap((block) => wordParts(block, options));
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const files = parts.filter((part) => part.type === "file");
  const prefix = isError ? FAILED : "";
  if (files.length === 0)
    return { output: { type: "text", value: `${prefix}${texts.join("\n") || NO_OUTPUT}` }, beside: [] };
  if (options.quirks.imagesInResults) {
    const mark: LanguageModelV4TextPart[] = isError ? [{ type: "text", text: FAILED.trim() }] : [];
    return { output: { type: "content", value: [...mark, ...parts] }, beside: [] };
  }
  return { output: { type: "text", value: `${prefix}${[...texts, PICTURES_BELOW].join("\n")}` }, beside: files };
}

function wordParts(
  block: TextBlock | ImageBlock | DocumentBlock,
  options: PromptOptions,
): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  const sent = sendable(block, options);
  if (sent.type === "text") return textParts(sent.text);
  return [filePart(sent.mediaType, sent.data, sent.type === "document" ? sent.title : undefined)];
}

function filePart(mediaType: string, data: string, title?: string): LanguageModelV4FilePart {
  const filename = title === undefined ? {} : { filename: title.toWellFormed() };
  return { type: "file", mediaType, data: { type: "data", data }, ...filename };
}

function textParts(text: string): LanguageModelV4TextPart[] {
  return text.trim() === "" ? [] : [{ type: "text", text: text.toWellFormed() }];
}

function assistantMessages(
  { content, isOwn }: AssistantTurn,
  options: PromptOptions,
  isThinkingKept: boolean,
): LanguageModelV4Message[] {
  const parts = content.flatMap((block) => assistantPart(block, isOwn, options, isThinkingKept));
  const details = isOwn ? detailsOfAll(content) : undefined;
  return parts.length > 0 ? [{ role: "assistant", content: parts, ...(details && { providerOptions: details }) }] : [];
}

/** Fields that a router expects back with the message. */
function detailsOfAll(content: readonly AssistantBlock[]): SharedV4ProviderOptions | undefined {
  const kept = content.map((block) => (block.type === "thinking" ? detailsBack(block.signature) : undefined));
  return kept.find((options) => options !== undefined);
}

type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

function assistantPart(
  block: AssistantBlock,
  isOwn: boolean,
  { quirks }: PromptOptions,
  isThinkingKept: boolean,
): AssistantPart[] {
  const metadata = isOwn && "signature" in block ? metadataOf(block.signature) : undefined;
  const signed = metadata && { providerOptions: metadata };
  switch (block.type) {
    case "text":
      return [{ type: "text", text: block.text.toWellFormed(), ...signed }];
    case "thinking": {
      if (isOwn && detailsBack(block.signature)) return [];
      // A block without a signature is useful only to servers that expect their reasoning text back.
      const isWanted = metadata !== undefined || quirks.reasoningBack !== "never";
      return isWanted && isThinkingKept ? [{ type: "reasoning", text: block.thinking.toWellFormed(), ...signed }] : [];
    }
    case "tool_use": {
      const input = wellFormed(block.input);
      return [{ type: "tool-call", toolCallId: block.id, toolName: sentName(block.name), input, ...signed }];
    }
    default:
      return [];
  }
}
