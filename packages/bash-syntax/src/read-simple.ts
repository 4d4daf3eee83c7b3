import { NotUnderstood } from "./not-understood.ts";
import { parseRedirect } from "./parse-redirect.ts";
import type { Reader } from "./reader.ts";
import { advance, isReserved, look, peek, unexpected } from "./reader-steps.ts";
import type { CommandDraft, WordToken } from "./tokens.ts";
import type { Assignment, Redirect, ShellWord } from "./types.ts";

const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)(?:\[([^\]]*)\])?\+?=/;
const SUBSCRIPTED = /^[A-Za-z_][A-Za-z0-9_]*\[[\s\S]*\]\+?=/;
/** `08` is an error after which bash skips the rest of the line. */
const KNOWN_SUBSCRIPT = /^(?:0|[1-9][0-9]{0,8})$/;

type Parts = Pick<CommandDraft, "tokens" | "assignments" | "redirects" | "holders"> & { readonly unknown: string[] };

/** Adds a command to the reader's list. */
export function addDraft(reader: Reader, parts: Parts, conditional: boolean): CommandDraft {
  const draft: CommandDraft = {
    ...parts,
    words: parts.tokens.flatMap(spelledOut),
    conditional: conditional || reader.inFunctions > 0,
    isPiped: false,
    inFunctions: reader.inFunctions,
    repeats: reader.inLoops > 0,
    order: reader.line.order,
  };
  reader.line.order += 1;
  reader.drafts.push(draft);
  return draft;
}

/** Words that belong to no simple command, such as the subject of `case`: only their substitutions run. */
export function addWords(reader: Reader, holders: readonly WordToken[], unknown: readonly string[] = []): void {
  if (holders.length === 0 && unknown.length === 0) return;
  addDraft(reader, { tokens: [], assignments: [], redirects: [], holders, unknown: [...unknown] }, true);
}

function spelledOut(token: WordToken): readonly WordToken[] {
  return token.words.length === 1 && token.words[0] === token.word
    ? [token]
    : token.words.map((word) => ({ ...token, word, words: [word], maySplit: false }));
}

export type Redirects = Pick<Parts, "redirects" | "holders" | "unknown">;

/** The redirects after a compound command. */
export function readRedirects(reader: Reader): Redirects {
  const redirects: Redirect[] = [];
  const holders: WordToken[] = [];
  const unknown: string[] = [];
  while (isRedirect(reader)) readRedirect(reader, { redirects, holders, unknown });
  return { redirects, holders, unknown };
}

function isRedirect(reader: Reader): boolean {
  const kind = look(reader)?.kind;
  return kind === "redirect" || kind === "descriptor";
}

function readRedirect(reader: Reader, into: { redirects: Redirect[]; holders: WordToken[]; unknown: string[] }): void {
  const { redirect, target, unknown } = parseRedirect(reader);
  into.redirects.push(redirect);
  if (target) into.holders.push(target);
  into.unknown.push(...unknown);
}

/**
 * Reads a simple command.
 * @returns the function's name if the command is a function definition, that is, if `(` comes next.
 */
export function readSimple(reader: Reader, conditional: boolean): WordToken | undefined {
  const tokens: WordToken[] = [];
  const assignments: Assignment[] = [];
  const redirects: Redirect[] = [];
  const holders: WordToken[] = [];
  const unknown: string[] = [];
  for (;;) {
    if (isRedirect(reader)) {
      readRedirect(reader, { redirects, holders, unknown });
      continue;
    }
    const token = look(reader);
    if (token?.kind !== "word") break;
    advance(reader);
    holders.push(token);
    const assignment = tokens.length === 0 ? readAssignment(token, unknown) : undefined;
    if (assignment) assignments.push(assignment);
    else tokens.push(token);
  }
  const [head] = tokens;
  if (peek(reader) === "(") {
    if (head && holders.length === 1 && redirects.length === 0) return head;
    throw unexpected(reader);
  }
  // After a redirect or an assignment, bash reads `if` as a name, which is never intended.
  if (head && isReserved(head))
    throw new NotUnderstood("a reserved word stands where a command belongs", head.word.source);
  addDraft(reader, { tokens, assignments, redirects, holders, unknown }, conditional);
  return undefined;
}

function readAssignment(token: WordToken, unknown: string[]): Assignment | undefined {
  const { source, value } = token.word;
  const [prefix, name, subscript] = ASSIGNMENT.exec(source) ?? [];
  if (prefix === undefined || name === undefined) {
    // The end of a subscript with inner brackets or quotes is not documented.
    if (SUBSCRIPTED.test(source)) throw new NotUnderstood("a subscript has an unusual form", source);
    return undefined;
  }
  const isKnown = subscript === undefined || KNOWN_SUBSCRIPT.test(subscript);
  if (!isKnown) unknown.push(source);
  const known: ShellWord = { source: source.slice(prefix.length), value: value?.slice(prefix.length), isGlob: false };
  return { name, source, value: isKnown && subscript === undefined ? known : { ...known, value: undefined } };
}
