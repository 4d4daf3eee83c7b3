import { matchPieces } from "../../../platform/globs/match-pieces.ts";
import { RuleSyntaxError } from "./rule-syntax.ts";

/** The literal pieces between the stars of a pattern; one piece is a pattern without stars. */
export type CommandPattern = {
  readonly pieces: readonly string[];
  /** True for a trailing ` *`: the text before it also matches on its own. */
  readonly optionalTail: boolean;
  /** True for `*` alone: every command. */
  readonly isEverything: boolean;
};

/**
 * Parses the spec of a Bash rule. `*` matches any text; a trailing ` *` or `:*` begins at the end of a word (`ls *`
 * matches `ls` and `ls -a`, never `lsof`); `\*`, `\(`, `\)`, `\:` and `\\` are literal characters.
 * @throws {RuleSyntaxError} the spec can't match anything.
 */
export function parseCommandPattern(spec: string): CommandPattern {
  const pieces = [""];
  const add = (character: string) => {
    pieces[pieces.length - 1] += character;
  };
  for (let at = 0; at < spec.length; at += 1) {
    const character = spec[at] ?? "";
    const next = spec[at + 1];
    if (character === "\\" && next !== undefined && "\\*():".includes(next)) {
      add(next);
      at += 1;
    } else if (character === "*") pieces.push("");
    else add(character);
  }
  const beforeTail = pieces.length > 1 && pieces.at(-1) === "" ? (pieces.at(-2) ?? "") : "";
  const optionalTail = beforeTail.endsWith(" ") || beforeTail.endsWith(":");
  if (optionalTail) pieces[pieces.length - 2] = beforeTail.slice(0, -1).trimEnd();
  if (optionalTail && pieces.slice(0, -1).every((piece) => piece === "")) {
    throw new RuleSyntaxError("there is no command before the *: write Bash alone to match every command");
  }
  return { pieces, optionalTail, isEverything: pieces.length > 1 && pieces.every((piece) => piece === "") };
}

export function matchesCommand({ pieces, optionalTail }: CommandPattern, command: string): boolean {
  const text = command.trim();
  if (!optionalTail) return matchPieces(pieces, text);
  const head = pieces.slice(0, -1);
  if (matchPieces(head, text)) return true;
  const last = head.length - 1;
  const spaced = head.map((piece, index) => (index === last ? `${piece} ` : piece));
  return matchPieces([...spaced, ""], text) || matchPieces([...head.slice(0, last), `${head[last]}\t`, ""], text);
}

/** A pattern that matches exactly this command. */
export function exactCommandSpec(command: string): string {
  return command.replace(/[\\*()]/g, "\\$&");
}
