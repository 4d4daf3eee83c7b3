import type { Tree, TreeCursor } from "web-tree-sitter";
import { NotUnderstood } from "./not-understood.ts";
import type { CommandDraft } from "./reader.ts";
import type { Lexed, Span, Token } from "./tokens.ts";

/** Nodes that group others; their children are looked at one by one. */
const GROUPS = new Set(
  `program list pipeline redirected_statement command command_name negated_command subshell compound_statement if_statement
   elif_clause else_clause while_statement for_statement do_group case_statement case_item test_command unary_expression
   binary_expression declaration_command unset_command variable_assignments file_redirect heredoc_redirect
   herestring_redirect`.split(/\s+/),
);
/** Nodes that are (a part of) one word, or one descriptor. */
const WORDS = new Set(
  `word string raw_string ansi_c_string concatenation number simple_expansion expansion brace_expression variable_assignment
   variable_name heredoc_start extglob_pattern test_operator file_descriptor`.split(/\s+/),
);
/** What may stand inside of a word. */
const INNER = new Set([...WORDS, "string_content", "special_variable_name"]);
const EXPANSIONS = new Set(["simple_expansion", "expansion", "ansi_c_string"]);
const COMMAND_STARTS = new Set(["command_name", "test_command", "declaration_command", "unset_command"]);

type Seen = { readonly units: Span[]; readonly expansions: Span[]; readonly starts: number[]; readonly bodies: Span[] };

/**
 * Compares the syntax tree with what our own reader found: the same words in the same places, the same expansions,
 * the same here-documents, the same commands. Neither is believed alone.
 * @throws {NotUnderstood} they differ anywhere, or the tree holds an error or a node that is not known here.
 */
export function checkTree(source: string, tree: Tree, lexed: Lexed, drafts: readonly CommandDraft[]): void {
  if (tree.rootNode.hasError) throw new NotUnderstood("the syntax tree has an error", source);
  const seen: Seen = { units: [], expansions: [], starts: [], bodies: [] };
  const cursor = tree.walk();
  try {
    visit(source, cursor, seen);
  } finally {
    cursor.delete();
  }
  compareTokens(source, seen.units, lexed.tokens);
  compareSpans(source, seen.expansions, lexed.expansions);
  compareBodies(source, seen.bodies, lexed.heredocs);
  const starts = drafts.flatMap(({ words }) => (words[0] ? [words[0].start] : []));
  const found = seen.starts.sort((a, b) => a - b);
  if (starts.length !== found.length || starts.some((start, index) => start !== found[index]))
    throw new NotUnderstood("two readings of the command disagree about what runs", source);
}

/** Walks the tree once, without recursion. */
function visit(source: string, cursor: TreeCursor, seen: Seen): void {
  let wordDepth = -1;
  for (;;) {
    const depth = cursor.currentDepth;
    if (wordDepth >= depth) wordDepth = -1;
    const enter = wordDepth < 0 ? atStatement(source, cursor, seen) : insideWord(source, cursor, seen);
    if (enter === "word") wordDepth = depth;
    if (enter !== "skip" && cursor.gotoFirstChild()) continue;
    while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return;
  }
}

function atStatement(source: string, cursor: TreeCursor, seen: Seen): "group" | "word" | "skip" {
  const type = cursor.nodeType;
  const span = { start: cursor.startIndex, end: cursor.endIndex };
  if (!cursor.nodeIsNamed) {
    if (source.slice(span.start, span.end).trim() !== "") seen.units.push(span);
    return "skip";
  }
  if (COMMAND_STARTS.has(type)) seen.starts.push(span.start);
  if (GROUPS.has(type)) return "group";
  if (type === "comment") return "skip";
  if (type === "heredoc_body" || type === "heredoc_end") {
    seen.bodies.push(span);
    if (type === "heredoc_body") return "group";
    return "skip";
  }
  if (type === "heredoc_content") return "skip";
  if (!WORDS.has(type))
    throw new NotUnderstood(`a part is not known (${type.replaceAll("_", " ")})`, source.slice(span.start, span.end));
  seen.units.push(span);
  if (EXPANSIONS.has(type)) seen.expansions.push(span);
  return "word";
}

function insideWord(source: string, cursor: TreeCursor, seen: Seen): "group" | "skip" {
  if (!cursor.nodeIsNamed) return "skip";
  const type = cursor.nodeType;
  const span = { start: cursor.startIndex, end: cursor.endIndex };
  if (!INNER.has(type))
    throw new NotUnderstood(`a part is not known (${type.replaceAll("_", " ")})`, source.slice(span.start, span.end));
  if (EXPANSIONS.has(type)) seen.expansions.push(span);
  return "group";
}

/** The tree's words must tile our tokens: none crosses a border of ours, none is left out. */
function compareTokens(source: string, units: readonly Span[], tokens: readonly Token[]): void {
  let unit = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "newline" || isLostDash(token, tokens[index + 1], units[unit])) continue;
    let at = token.start;
    while (at < token.end) {
      const next = units[unit];
      if (!next || next.start !== at || next.end > token.end)
        throw new NotUnderstood(
          "two readings of the command disagree about its words",
          source.slice(token.start, token.end),
        );
      at = next.end;
      unit += 1;
    }
  }
  const left = units[unit];
  if (left)
    throw new NotUnderstood("two readings of the command disagree about its words", source.slice(left.start, left.end));
}

/** The grammar drops an argument `-` before `<<`; the word can't hide anything. */
function isLostDash(token: Token, next: Token | undefined, unit: Span | undefined): boolean {
  const isDash =
    token.kind === "word" && token.word.source === "-" && next?.kind === "redirect" && next.text.startsWith("<<");
  return isDash && unit?.start !== token.start;
}

function compareSpans(source: string, found: readonly Span[], expected: readonly Span[]): void {
  for (let index = 0; index < Math.max(found.length, expected.length); index += 1) {
    const a = found[index];
    const b = expected[index];
    if (a && b && a.start === b.start && a.end === b.end) continue;
    const span = b ?? a ?? { start: 0, end: source.length };
    throw new NotUnderstood(
      "two readings of the command disagree about an expansion",
      source.slice(span.start, span.end),
    );
  }
}

/** Every here-document of ours must end where one of the tree's ends, and no other may exist. */
function compareBodies(source: string, found: readonly Span[], expected: readonly Span[]): void {
  const inside = found.every((body) => expected.some(({ start, end }) => body.start >= start && body.end <= end));
  const closed = expected.every(({ end }) => found.some((body) => body.end === end));
  if (!inside || !closed) throw new NotUnderstood("two readings of the command disagree about a here-document", source);
}
