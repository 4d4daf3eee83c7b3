import { oneLine } from "@quoll/terminal-text/one-line";
import { titleFromInput } from "../../contracts/call-target.ts";
import type { DiffHunk } from "../../contracts/display.ts";
import { type JsonObject, type ToolResultBlock, type ToolUseBlock, textOf, toolUses } from "../../contracts/message.ts";
import type { Entry, ShownCall } from "../../contracts/session.ts";

const MAX_TITLE_CHARS = 100;

/** A part of a conversation. The texts contain no known credentials. */
export type ExportedPart =
  | { readonly kind: "prompt"; readonly time: string; readonly text: string }
  | { readonly kind: "answer"; readonly time: string; readonly model: string; readonly text: string }
  | ExportedCall
  | { readonly kind: "note"; readonly time: string; readonly text: string };

export type ExportedCall = {
  readonly kind: "call";
  readonly time: string;
  readonly tool: string;
  readonly title: string;
  readonly input: JsonObject;
  /** The output of the call; undefined if the call has not ended. */
  readonly output: string | undefined;
  readonly isError: boolean;
  /** The diff of a file, if the call changed one. */
  readonly diff?: { readonly path: string; readonly hunks: readonly DiffHunk[] };
};

export type ExportedSession = {
  readonly sessionId: string;
  /** The name of the session; without one, the beginning of its first prompt. */
  readonly title: string;
  /** ISO 8601, UTC; empty while the conversation is empty. */
  readonly startedAt: string;
  readonly parts: readonly ExportedPart[];
};

/**
 * The messages and calls of a conversation. Texts that Quoll and hooks sent to the model are left out.
 * @param name The name of the session, if a person gave it one.
 * @param entries The entries, oldest first.
 * @param redact Replaces credentials in a text.
 */
export function exportedSession(
  { sessionId, name }: { readonly sessionId: string; readonly name?: string | undefined },
  entries: readonly Entry[],
  redact: (text: string) => string,
): ExportedSession {
  const facts = factsOf(entries);
  const parts = entries.flatMap((entry) => partsOf(entry, facts)).map((part) => redacted(part, redact));
  const first = parts.find(({ kind }) => kind === "prompt");
  const title = name ?? (first?.kind === "prompt" ? first.text : "Conversation");
  return { sessionId, title: redact(oneLine(title, MAX_TITLE_CHARS)), startedAt: parts[0]?.time ?? "", parts };
}

/** The text of the newest answer that contains text. */
export function newestAnswer(entries: readonly Entry[]): string | undefined {
  for (const entry of entries.toReversed()) {
    const text = entry.kind === "assistant" ? textOf(entry.message.content).trim() : "";
    if (text !== "") return text;
  }
  return undefined;
}

type Facts = {
  readonly results: ReadonlyMap<string, ToolResultBlock>;
  readonly shown: ReadonlyMap<string, ShownCall>;
};

function factsOf(entries: readonly Entry[]): Facts {
  const results = new Map<string, ToolResultBlock>();
  const shown = new Map<string, ShownCall>();
  for (const entry of entries) {
    if (entry.kind === "tool_finished") results.set(entry.result.toolUseId, entry.result);
    if (entry.kind === "results")
      for (const block of entry.message.content) if (block.type === "tool_result") results.set(block.toolUseId, block);
    if (entry.kind === "shown" && entry.fact.type === "call") shown.set(entry.fact.toolUseId, entry.fact);
  }
  return { results, shown };
}

function partsOf(entry: Entry, facts: Facts): readonly ExportedPart[] {
  const { time } = entry;
  switch (entry.kind) {
    case "user":
      return entry.by === undefined ? [{ kind: "prompt", time, text: entry.prompt }] : [];
    case "assistant": {
      const { model, content } = entry.message;
      const text = textOf(content).trim();
      const calls = toolUses(entry.message).map((use) => callPart(use, time, facts));
      return [...(text === "" ? [] : [{ kind: "answer", time, model, text } as const]), ...calls];
    }
    case "compacted":
      return [{ kind: "note", time, text: entry.note }];
    default:
      return [];
  }
}

function callPart({ id, name, input }: ToolUseBlock, time: string, { results, shown }: Facts): ExportedCall {
  const result = results.get(id);
  const fact = shown.get(id);
  const display = fact?.display;
  return {
    kind: "call",
    time,
    tool: name,
    title: fact?.title ?? titleFromInput(input),
    input,
    output: result && textOf(result.content),
    isError: result?.isError === true,
    ...(display?.kind === "diff" && { diff: { path: display.path, hunks: display.hunks } }),
  };
}

/** Redacts each text in a value before it is serialised, because an escaped credential would not be found. */
function redacted<Value>(value: Value, redact: (text: string) => string): Value {
  const hide = (_key: string, one: unknown) => (typeof one === "string" ? redact(one) : one);
  return JSON.parse(JSON.stringify(value, hide)) as Value;
}
