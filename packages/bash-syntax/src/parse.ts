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

/** The time limit of the grammar for one source. An ordinary source takes a millisecond for 1,000 characters. */
const TREE_TIMEOUT_MS = 500;

/**
 * Parses bash source into its simple commands in source order, including those of substitutions and functions. Linear
 * in the source's length; never throws. A construct that could hide or change a command makes the whole source not
 * understood. Words that a command computes are listed in its `unknown`.
 * @param spentMs A clock in milliseconds that limits the work of the grammar.
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

/** Reads the source with our own reader only. @throws {NotUnderstood} */
export function readLine(source: string): { readonly level: Level; readonly line: Line } {
  const line = newLine(readLevel);
  return { level: readLevel(newText(line, source, "commands"), 0, "end", line), line };
}

/**
 * Each level is parsed as a separate source, because the tree of the whole line often has no node for the content of
 * an expansion.
 */
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
