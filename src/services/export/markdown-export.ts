import { oneLine } from "@quoll/terminal-text/one-line";
import { pasteableText } from "@quoll/terminal-text/plain-text";
import { lexer, type Token } from "marked";
import type { DiffHunk } from "../../contracts/display.ts";
import type { ExportedCall, ExportedPart, ExportedSession } from "./exported-session.ts";

const MAX_TITLE_CHARS = 100;
const MIN_FENCE = 3;
const SIGNS = { same: " ", added: "+", removed: "-" } as const;

/** A conversation as Markdown: prompts and answers as they were written, calls with their outputs folded. */
export function markdownExport({ sessionId, title, startedAt, parts }: ExportedSession): string {
  const head = [`# ${title}`, `Session ${sessionId}, begun ${startedAt}`];
  const texts = parts.map((part, at) => partText(part, parts[at - 1]));
  return pasteableText(`${[...head, ...texts].join("\n\n")}\n`);
}

/** The lines of a change, as in a patch. */
export function patchLines(hunks: readonly DiffHunk[]): readonly string[] {
  return hunks.flatMap(({ oldStart, newStart, lines }) => [
    `@@ -${oldStart} +${newStart} @@`,
    ...lines.map(({ kind, text }) => SIGNS[kind] + text),
  ]);
}

/** The full call if its title does not contain it: the command of a shell, the input of an unknown tool. */
export function inputText({ input, diff, title }: ExportedCall): string | undefined {
  const { command } = input;
  if (typeof command === "string") return command === title ? undefined : command;
  if (diff || title !== "") return undefined;
  return JSON.stringify(input, undefined, 2);
}

function partText(part: ExportedPart, before: ExportedPart | undefined): string {
  switch (part.kind) {
    case "prompt":
      return `## You\n\n${part.text}`;
    case "answer":
      return before?.kind === "prompt" ? `## Quoll (${part.model})\n\n${part.text}` : part.text;
    case "note":
      return `> ${oneLine(part.text, Number.POSITIVE_INFINITY)}`;
    case "call":
      return callText(part);
  }
}

function callText(call: ExportedCall): string {
  const { tool, title, output, isError, diff } = call;
  const name = escaped(oneLine(`${tool} ${title}`.trim(), MAX_TITLE_CHARS));
  const state = output === undefined ? " (not ended)" : isError ? " (failed)" : "";
  const input = inputText(call);
  const body = [
    ...(input === undefined ? [] : [fenced(input, typeof call.input["command"] === "string" ? "sh" : "json")]),
    ...(diff && !isError
      ? [fenced(patchLines(diff.hunks).join("\n"), "diff")]
      : output?.trim()
        ? [fenced(output, "")]
        : []),
  ];
  return [`<details><summary>${name}${state}</summary>`, ...body, "</details>"].join("\n\n");
}

/** A code block whose fence is longer than any fence in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(Math.max(MIN_FENCE, longest + 1));
  return `${fence}${language}\n${text.replace(/\n+$/, "")}\n${fence}`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The content of the code blocks of a Markdown text, also of those in lists and quotes, in order. */
export function codeBlocksOf(markdown: string): readonly string[] {
  return lexer(markdown).flatMap(codeIn);
}

function codeIn(token: Token): readonly string[] {
  if (token.type === "code") return [String(token["text"])];
  const inner: unknown = "items" in token ? token.items : "tokens" in token ? token.tokens : undefined;
  return Array.isArray(inner) ? (inner as readonly Token[]).flatMap(codeIn) : [];
}
