import type { Parser } from "web-tree-sitter";
import { checkBuiltins } from "./check-builtins.ts";
import { checkTree } from "./check-tree.ts";
import { lex } from "./lex.ts";
import { NotUnderstood } from "./not-understood.ts";
import { parseCommands } from "./parse-commands.ts";
import type { CommandDraft } from "./reader.ts";
import { screen } from "./screen.ts";
import type { ParsedShell, SimpleCommand } from "./types.ts";

/** The tree of an understood source takes a millisecond for 1,000 characters; this is for the grammar's bad days. */
const TREE_TIMEOUT_MS = 500;

/**
 * Reads bash source into its simple commands, in source order. Linear in the source's length; never throws.
 * Whatever could hide, change or compute a command makes the whole source not understood.
 */
export function parse(parser: Parser, source: string): ParsedShell {
  try {
    return { understood: true, commands: understand(parser, source) };
  } catch (error) {
    if (error instanceof NotUnderstood) return { understood: false, reason: error.reason, unclear: [error.piece] };
    throw error;
  }
}

function understand(parser: Parser, source: string): readonly SimpleCommand[] {
  screen(source);
  const lexed = lex(source);
  const drafts = parseCommands(source, lexed.tokens);
  for (const draft of drafts) checkBuiltins(draft);
  const deadline = performance.now() + TREE_TIMEOUT_MS;
  const tree = parser.parse(source, null, { progressCallback: () => performance.now() > deadline });
  if (tree === null) {
    parser.reset();
    throw new NotUnderstood("the command takes too long to parse", source);
  }
  try {
    checkTree(source, tree, lexed, drafts);
  } finally {
    tree.delete();
  }
  return drafts.map(toCommand);
}

function toCommand({ words, assignments, redirects, conditional }: CommandDraft): SimpleCommand {
  const plain = words.map(({ word }) => word);
  return {
    source: plain.map(({ source }) => source).join(" "),
    words: plain,
    assignments,
    redirects,
    conditional,
    within: [],
    unknown: [],
  };
}
