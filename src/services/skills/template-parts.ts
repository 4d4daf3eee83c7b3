import type { Skill, SkillFormat } from "../../contracts/skill.ts";
import { skillBody } from "./read-skill.ts";

/** A part of a skill's text: plain text, a command that is replaced by its output, or a file. */
export type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "command"; readonly command: string; readonly source: string }
  /** `isInPlace`: the file's text replaces the mention; otherwise it follows the skill's text. */
  | { readonly kind: "file"; readonly path: string; readonly source: string; readonly isInPlace: boolean };

const FENCE = /^[ \t]*(`{3,}|~{3,})(.*)$/;
const INLINE = /(?<![^\s([])!`([^`\n]+)`|(?<![\w@`/.-])@((?:\\ |[^\s`'"<>(),;:!?*])+)/g;

/**
 * The parts of a skill's text. In Markdown, a command is written in `` !`…` `` or in a block that begins with ```` ```! ````, and a
 * file after `@`; both count only outside other code blocks. In TOML, they are written in `!{…}` and `@{…}`.
 */
export function templateParts(text: string, format: SkillFormat): readonly TemplatePart[] {
  return format === "toml" ? bracedParts(text) : markdownParts(text);
}

/** The commands that run when a skill starts, before their placeholders are filled in. @param text The skill's file. */
export async function inlineCommands(text: string, skill: Pick<Skill, "format">): Promise<readonly string[]> {
  if (!text.includes("!")) return [];
  const parts = templateParts(await skillBody(text, skill), skill.format);
  return parts.flatMap((part) => (part.kind === "command" ? [part.command] : []));
}

function markdownParts(text: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  const lines = text.split("\n");
  let plain: string[] = [];
  const flush = (isLast = false) => {
    if (plain.length > 0) parts.push(...inlineParts(plain.join("\n") + (isLast ? "" : "\n")));
    plain = [];
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const [, fence, info = ""] = FENCE.exec(line) ?? [];
    if (fence === undefined) {
      plain.push(line);
      continue;
    }
    const end = closingLine(lines, at + 1, fence);
    const block = lines.slice(at, end + 1).join("\n") + (end + 1 < lines.length ? "\n" : "");
    flush();
    const command = lines.slice(at + 1, end).join("\n");
    if (info.trim() === "!") parts.push({ kind: "command", command, source: block });
    else parts.push({ kind: "text", text: block });
    at = end;
  }
  flush(true);
  return parts;
}

function closingLine(lines: readonly string[], from: number, fence: string): number {
  for (let at = from; at < lines.length; at += 1) {
    const [, other, info = ""] = FENCE.exec(lines[at] ?? "") ?? [];
    if (other?.startsWith(fence) && info.trim() === "") return at;
  }
  return lines.length;
}

function inlineParts(text: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    const [source, command, path] = match;
    if (match.index > from) parts.push({ kind: "text", text: text.slice(from, match.index) });
    if (command !== undefined) parts.push({ kind: "command", command, source });
    else if (path !== undefined) {
      const name = path.replace(/[.]+$/, "");
      parts.push({ kind: "file", path: name.replaceAll("\\ ", " "), source: `@${name}`, isInPlace: false });
      from = match.index + 1 + name.length;
      continue;
    }
    from = match.index + source.length;
  }
  if (from < text.length) parts.push({ kind: "text", text: text.slice(from) });
  return parts;
}

/** `!{…}` and `@{…}` with balanced braces. */
function bracedParts(text: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  const closing = closingBraces(text);
  let from = 0;
  for (const match of text.matchAll(/[!@]\{/g)) {
    if (match.index < from) continue;
    const end = closing.get(match.index + 1);
    if (end === undefined) continue;
    if (match.index > from) parts.push({ kind: "text", text: text.slice(from, match.index) });
    const inner = text.slice(match.index + 2, end).trim();
    const source = text.slice(match.index, end + 1);
    if (match[0] === "!{") parts.push({ kind: "command", command: inner, source });
    else parts.push({ kind: "file", path: inner, source, isInPlace: true });
    from = end + 1;
  }
  if (from < text.length) parts.push({ kind: "text", text: text.slice(from) });
  return parts;
}

/** The position of the closing brace for each opening brace that has one. One pass: a text may consist of braces. */
function closingBraces(text: string): ReadonlyMap<number, number> {
  const closing = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    if (brace === "{") open.push(index);
    else {
      const start = open.pop();
      if (start !== undefined) closing.set(start, index);
    }
  }
  return closing;
}
