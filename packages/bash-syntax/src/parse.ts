import type { Parser } from "web-tree-sitter";
import { checkBuiltins } from "./check-builtins.ts";
import { checkOpeners } from "./check-openers.ts";
import { checkTree } from "./check-tree.ts";
import { flatten } from "./flatten.ts";
import { NotUnderstood } from "./not-understood.ts";
import { readLevel } from "./parse-commands.ts";
import { type Line, newLine, newText } from "./reader.ts";
import { screen } from "./screen.ts";
import type { Level } from "./tokens.ts";
import type { ParsedShell, SimpleCommand } from "./types.ts";

/** The tree of an understood source takes a millisecond for 1,000 characters; this is for the grammar's bad days. */
const TREE_TIMEOUT_MS = 500;

/**
 * Reads bash source into its simple commands, in source order, those of its substitutions and functions included. Linear in the
 * source's length; never throws.
 * A construct that could hide or change a command makes the whole source not understood. Words that one command computes are listed
 * in its `unknown`.
 * @param spentMs A clock in milliseconds that bounds the work of the grammar.
 */
export function parse(parser: Parser, source: string, spentMs: () => number): ParsedShell {
  try {
    return { understood: true, commands: understand(parser, source, spentMs) };
  } catch (error) {
    if (error instanceof NotUnderstood) return { understood: false, reason: error.reason, unclear: [error.piece] };
    throw error;
  }
}

function understand(parser: Parser, source: string, spentMs: () => number): readonly SimpleCommand[] {
  screen(source);
  const { level, line } = readLine(source);
  checkBuiltins(line.levels.flatMap(({ drafts }) => drafts));
  for (const text of line.texts) checkOpeners(text);
  const deadline = spentMs() + TREE_TIMEOUT_MS;
  for (const one of line.levels) compareWithTree(parser, one, () => spentMs() > deadline);
  return flatten(level, line);
}

/** Our own reading alone. @throws {NotUnderstood} */
export function readLine(source: string): { readonly level: Level; readonly line: Line } {
  const line = newLine(readLevel);
  return { level: readLevel(newText(line, source, "commands"), 0, "end", line), line };
}

/** Each level is parsed as a source of its own: the tree of the whole often has no node for what an expansion holds. */
function compareWithTree(parser: Parser, level: Level, isLate: () => boolean): void {
  const source = level.source.slice(level.start, level.end);
  const tree = parser.parse(source, null, { progressCallback: isLate });
  if (tree === null) {
    parser.reset();
    throw new NotUnderstood("the command takes too long to parse", source);
  }
  try {
    checkTree(tree, level);
  } finally {
    tree.delete();
  }
}
