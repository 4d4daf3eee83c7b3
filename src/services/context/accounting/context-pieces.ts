import { oneLine } from "@quoll/terminal-text/one-line";
import type { ContextSource, MessageKind } from "../../../contracts/context-report.ts";
import type { AssistantBlock, Message, UserBlock } from "../../../contracts/message.ts";
import type { ToolDeclaration } from "../../../contracts/provider.ts";
import { blockSize, type TokenSize } from "../../../contracts/token-estimate.ts";
import { elementsIn, instructionElement, withoutElements } from "../instructions/instruction-element.ts";
import { memoryParts } from "../memory/memory-element.ts";

const SUMMARY = /\n<summary>\n[\s\S]*\n<\/summary>$/;
const SUMMARY_LABEL = "Summary of earlier messages";
const LABEL_COLUMNS = 60;

/** The smallest part of a context report. `tokens` is estimated. */
export type Piece = {
  readonly source: ContextSource;
  readonly label: string;
  readonly tokens: number;
  readonly kind?: MessageKind;
  /** Set for messages: the number of the turn, from 1. */
  readonly turn?: number;
  /** Set for messages. */
  readonly messageId?: string;
  /** Set for calls and results. */
  readonly toolName?: string;
  /** Set for results. */
  readonly toolUseId?: string;
};

export type Measure = (size: TokenSize) => number;

export function toolPieces(tools: readonly ToolDeclaration[], isServers: (name: string) => boolean, measure: Measure) {
  return tools.map((tool): Piece => {
    const { name, description, inputSchema } = tool;
    const text = JSON.stringify({ name, description, inputSchema });
    return { source: isServers(name) ? "mcp" : "tools", label: name, tokens: textTokens(text, measure) };
  });
}

export function sectionPieces(sections: readonly { readonly name: string; readonly text: string }[], measure: Measure) {
  return sections.map(
    ({ name, text }): Piece => ({ source: "prompt", label: name, tokens: textTokens(text, measure) }),
  );
}

/** The pieces of a conversation, in its order. Instruction texts and notes in its messages are separate pieces. */
export function messagePieces(messages: readonly Message[], measure: Measure): readonly Piece[] {
  const calls = new Map<string, { readonly name: string; readonly label: string }>();
  const turns = messageTurns(messages);
  let label = "";
  return messages.flatMap((message, at) => {
    const turn = turns[at] ?? 0;
    if (turn !== turns[at - 1]) label = turnLabel(message);
    const base = { source: "messages", label, turn, messageId: message.id } as const;
    return message.content.flatMap((block): readonly Piece[] => {
      const tokens = measure(blockSize(block));
      if (block.type === "tool_use") {
        calls.set(block.id, { name: block.name, label: callLabel(block.name, block.input) });
        return [{ ...base, tokens, kind: "calls", toolName: block.name }];
      }
      if (block.type === "tool_result") {
        const { name = "", label = block.toolUseId } = calls.get(block.toolUseId) ?? {};
        return [{ ...base, label, tokens, kind: "results", toolName: name, toolUseId: block.toolUseId }];
      }
      const parts = message.role === "user" && block.type === "text" ? partPieces(block.text, measure) : [];
      const rest = parts.reduce((left, piece) => left - piece.tokens, tokens);
      return [...parts, { ...base, tokens: Math.max(0, rest), kind: kindOf(block, message.role) }];
    });
  });
}

/** The instruction texts in a text of the user's role, and the parts of the memory. */
function partPieces(text: string, measure: Measure): readonly Piece[] {
  const instructions = elementsIn(text).map((element) => ({
    ...({ source: "instructions", label: element.name } as const),
    tokens: textTokens(instructionElement(element), measure),
  }));
  const memory = memoryParts(withoutElements(text)).map(({ name, text: part }) => ({
    ...({ source: "memory", label: name } as const),
    tokens: textTokens(part, measure),
  }));
  return [...instructions, ...memory];
}

function kindOf({ type }: UserBlock | AssistantBlock, role: Message["role"]): MessageKind {
  if (type === "image" || type === "document") return "attachments";
  return role === "user" ? "words" : "answers";
}

/** The person's text comes last in their message. */
function turnLabel({ content }: Message): string {
  // The last text of a summary is Quoll's list, not the person's text.
  if (content.some((block) => block.type === "text" && SUMMARY.test(block.text))) return SUMMARY_LABEL;
  const words = content.findLast((block) => block.type === "text");
  return oneLine(words?.type === "text" ? words.text : "", LABEL_COLUMNS);
}

/** The tool and its first argument: `Read src/big.ts`. */
function callLabel(name: string, input: Readonly<Record<string, unknown>>): string {
  const first = Object.values(input).find((value) => typeof value === "string");
  return oneLine(first === undefined ? name : `${name} ${first}`, LABEL_COLUMNS);
}

function textTokens(text: string, measure: Measure): number {
  return measure(blockSize({ type: "text", text }));
}

/**
 * The number of the turn, from 1, that each message belongs to. A turn is a prompt and all messages up to the next
 * prompt; text that arrives while calls run belongs to the running turn.
 */
export function messageTurns(messages: readonly Message[]): readonly number[] {
  let [turn, isOpen] = [0, false];
  return messages.map((message) => {
    const startsTurn =
      message.role === "user" && !isOpen && !message.content.some(({ type }) => type === "tool_result");
    if (startsTurn || turn === 0) turn += 1;
    isOpen = message.role === "user" || message.content.some(({ type }) => type === "tool_use");
    return turn;
  });
}
