import type { Tree, TreeCursor } from "web-tree-sitter";
import { NotUnderstood } from "./not-understood.ts";
import type { Heredoc, Level, Span, Token } from "./tokens.ts";

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Nodes that group others; their children are checked one by one. */
const GROUPS = set(
  `program list pipeline redirected_statement command command_name negated_command subshell compound_statement if_statement
   elif_clause else_clause while_statement for_statement c_style_for_statement do_group case_statement case_item test_command
   unary_expression binary_expression parenthesized_expression declaration_command unset_command variable_assignments
   file_redirect heredoc_redirect herestring_redirect function_definition`,
);
/** Nodes that are (a part of) one word, or one descriptor. */
const WORDS = set(
  `word string raw_string ansi_c_string concatenation number simple_expansion expansion brace_expression variable_assignment
   variable_name heredoc_start extglob_pattern test_operator file_descriptor command_substitution process_substitution
   arithmetic_expansion translated_string regex`,
);
/** The node types allowed inside a word. */
const INNER = new Set([...WORDS, ...set("string_content special_variable_name array subscript")]);
const EXPANSIONS = set(
  "simple_expansion expansion ansi_c_string command_substitution process_substitution arithmetic_expansion",
);
/** Nodes whose inside is compared as a separate source, or has no reliable nodes. */
const OPAQUE = set("expansion command_substitution process_substitution arithmetic_expansion");
const COMMAND_STARTS = set("command_name test_command declaration_command unset_command");

type Seen = {
  readonly text: string;
  readonly units: Span[];
  readonly expansions: Span[];
  readonly starts: number[];
  readonly bodies: Span[];
  readonly bodySubstitutions: number[];
  /** The offset of the open `((`; undefined outside `((` and `))`. */
  arithmeticFrom: number | undefined;
};
type Step = "group" | "word" | "body" | "skip";

/**
 * Compares the syntax tree of a level's text with the result of our own reader: both must have the same words in the
 * same places, the same expansions, here-documents and commands. Neither result is trusted alone.
 * @throws {NotUnderstood} the two readings differ, or the tree holds an error or a node that is not known here.
 */
export function checkTree(tree: Tree, level: Level): void {
  const text = level.source.slice(level.start, level.end);
  if (tree.rootNode.hasError) throw new NotUnderstood("the syntax tree has an error", text);
  const seen: Seen = {
    text,
    units: [],
    expansions: [],
    starts: [],
    bodies: [],
    bodySubstitutions: [],
    arithmeticFrom: undefined,
  };
  const cursor = tree.walk();
  try {
    visit(cursor, seen);
  } finally {
    cursor.delete();
  }
  const { source, start } = level;
  compareTokens(source, seen.units.map(moveBy(start)), level.tokens);
  compareSpans(source, seen.expansions.map(moveBy(start)), level.expansions);
  compareBodies(text, seen.bodies.map(moveBy(start)), level.heredocs);
  compareBodySubstitutions(
    text,
    seen.bodySubstitutions.map((at) => at + start),
    level.heredocs,
  );
  const starts = level.drafts.flatMap(({ words }) => (words[0] ? [words[0].start] : []));
  const found = seen.starts.map((at) => at + start).sort((a, b) => a - b);
  if (starts.length !== found.length || starts.some((at, index) => at !== found[index]))
    throw new NotUnderstood("two readings of the command disagree about what runs", text);
}

function moveBy(offset: number): (span: Span) => Span {
  return ({ start, end }) => ({ start: start + offset, end: end + offset });
}

/** Walks the tree once, without recursion. */
function visit(cursor: TreeCursor, seen: Seen): void {
  let insideDepth = -1;
  let inside: "word" | "body" = "word";
  for (;;) {
    const depth = cursor.currentDepth;
    if (insideDepth >= depth) insideDepth = -1;
    const step: Step = insideDepth < 0 ? atStatement(cursor, seen) : insideOf(cursor, seen, inside);
    if (step === "word" || step === "body") {
      insideDepth = depth;
      inside = step;
    }
    if (step !== "skip" && cursor.gotoFirstChild()) continue;
    while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return;
  }
}

function spanOf(cursor: TreeCursor): Span {
  return { start: cursor.startIndex, end: cursor.endIndex };
}

function unknownPart(type: string, { start, end }: Span, { text }: Seen): NotUnderstood {
  return new NotUnderstood(`a part is not known (${type.replaceAll("_", " ")})`, text.slice(start, end));
}

function atStatement(cursor: TreeCursor, seen: Seen): Step {
  const type = cursor.nodeType;
  const span = spanOf(cursor);
  if (type === "((" || seen.arithmeticFrom !== undefined) return inArithmetic(type, span, seen);
  if (!cursor.nodeIsNamed) {
    if (seen.text.slice(span.start, span.end).trim() !== "") seen.units.push(span);
    return "skip";
  }
  if (COMMAND_STARTS.has(type)) seen.starts.push(span.start);
  if (GROUPS.has(type)) return "group";
  if (type === "comment" || type === "heredoc_content") return "skip";
  if (type === "heredoc_body" || type === "heredoc_end") {
    seen.bodies.push(span);
    return type === "heredoc_body" ? "body" : "skip";
  }
  if (!WORDS.has(type)) throw unknownPart(type, span, seen);
  seen.units.push(span);
  if (EXPANSIONS.has(type)) seen.expansions.push(span);
  return OPAQUE.has(type) ? "skip" : "word";
}

/** Everything from `((` to `))` is one unit. */
function inArithmetic(type: string, { start, end }: Span, seen: Seen): Step {
  if (type === "((") seen.arithmeticFrom = start;
  else if (type === "))" && seen.arithmeticFrom !== undefined) {
    seen.units.push({ start: seen.arithmeticFrom, end });
    seen.arithmeticFrom = undefined;
  }
  return "skip";
}

function insideOf(cursor: TreeCursor, seen: Seen, inside: "word" | "body"): Step {
  if (!cursor.nodeIsNamed) return "skip";
  const type = cursor.nodeType;
  const span = spanOf(cursor);
  if (inside === "body") {
    if (type === "command_substitution") seen.bodySubstitutions.push(span.start);
    return "group";
  }
  if (!INNER.has(type)) throw unknownPart(type, span, seen);
  if (EXPANSIONS.has(type)) seen.expansions.push(withoutBlanks(span, seen));
  return OPAQUE.has(type) ? "skip" : "group";
}

/** In a string, the grammar counts the blanks before an expansion as part of the expansion: `"$x $y"`. */
function withoutBlanks({ start, end }: Span, { text }: Seen): Span {
  let at = start;
  while (at < end && /[ \t\n]/.test(text[at] ?? "")) at += 1;
  return { start: at, end };
}

/** The tree's words must cover our tokens exactly: no word crosses the border of a token, and no token is left out. */
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

/** The grammar drops an argument `-` before `<<`; this word can't hide a command. */
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

/**
 * Each here-document of our reader must end where a here-document of the tree ends, and the tree may have no others.
 */
function compareBodies(text: string, found: readonly Span[], expected: readonly Heredoc[]): void {
  const ends = new Set(found.map(({ end }) => end));
  let at = 0;
  const inside = found.every((body) => {
    while ((expected[at]?.end ?? Number.POSITIVE_INFINITY) < body.start) at += 1;
    const own = expected[at];
    return own !== undefined && body.start >= own.start && body.end <= own.end;
  });
  const closed = expected.every(({ end }) => ends.has(end));
  if (!inside || !closed) throw new NotUnderstood("two readings of the command disagree about a here-document", text);
}

/**
 * The tree lacks some substitutions in here-documents that our reader finds, but it may have none that our reader
 * lacks.
 */
function compareBodySubstitutions(text: string, found: readonly number[], heredocs: readonly Heredoc[]): void {
  const exact = new Set(heredocs.flatMap(({ openings }) => openings ?? []));
  const others = heredocs.filter(({ openings }) => openings === undefined);
  const left = found.filter((at) => !exact.has(at));
  const isOther = left.every((at) => others.some(({ start, end }) => at >= start && at < end));
  const count = others.reduce((sum, { openingCount }) => sum + openingCount, 0);
  if (!isOther || left.length > count)
    throw new NotUnderstood("two readings of the command disagree about a here-document", text);
}
