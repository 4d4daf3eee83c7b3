import { NotUnderstood } from "./not-understood.ts";
import type { Reader } from "./reader.ts";
import { advance, look } from "./reader-steps.ts";
import { isShellVariable } from "./shell-variables.ts";
import type { RedirectToken, WordToken } from "./tokens.ts";
import type { Redirect, ShellWord } from "./types.ts";

/** bash itself opens a connection for these names (manual, "Redirections"). */
const NETWORK = /^\/dev\/(?:tcp|udp)(?:\/|$)/;

/** bash expands the word of `>&word` twice, so `>& '$(id)'` runs id. Only a word that no expansion changes is known. */
const PLAIN_FILE = /^(?![0-9]*-?$)[\w./@%+:,-]+$/;

const DIRECTIONS: Readonly<Record<string, Redirect["direction"]>> = {
  "<": "read",
  "<>": "write",
  ">": "write",
  ">>": "write",
  ">|": "write",
  "&>": "write",
  "&>>": "write",
  "<<": "inline",
  "<<-": "inline",
  "<<<": "inline",
};

export type ReadRedirect = {
  readonly redirect: Redirect;
  readonly target: WordToken | undefined;
  /** Unknown parts as written: a connection, an unknown descriptor. */
  readonly unknown: readonly string[];
};

/**
 * Reads one redirect, starting at its descriptor or operator.
 * @throws {NotUnderstood} the redirect is not complete.
 */
export function parseRedirect(reader: Reader): ReadRedirect {
  const first = look(reader);
  const start = first?.start ?? 0;
  const descriptor = first?.kind === "descriptor" ? first.text : undefined;
  if (descriptor !== undefined) advance(reader);
  const operator = look(reader);
  if (operator?.kind !== "redirect") throw new NotUnderstood("a redirect is incomplete", reader.source.slice(start));
  advance(reader);
  const variable = /^\{(.*)\}$/.exec(descriptor ?? "")?.[1];
  const isOwn = variable === undefined || !isShellVariable(variable);
  if (operator.text.endsWith("&-")) {
    const source = reader.source.slice(start, operator.end);
    const target: ShellWord = { source: "-", value: "-", isGlob: false };
    // The variable determines which descriptor `{name}>&-` closes.
    const unknown = variable === undefined ? [] : [source];
    return { redirect: { source, direction: "duplicate", target }, target: undefined, unknown };
  }
  const target = look(reader);
  if (target?.kind !== "word")
    throw new NotUnderstood("a redirect names no target", reader.source.slice(start, operator.end));
  advance(reader);
  const source = reader.source.slice(start, target.end);
  const direction = directionOf(operator, target, descriptor !== undefined);
  const isNamed = direction === "read" || direction === "write";
  const isKnown = direction !== undefined && isOwn && !(isNamed && NETWORK.test(target.word.value ?? ""));
  return {
    redirect: {
      source,
      direction: direction ?? "duplicate",
      target: isNamed ? fileOf(target) : target.word,
      ...(direction === "inline" && target.body && { body: target.body }),
    },
    target,
    unknown: isKnown ? [] : [source],
  };
}

/** A pattern is expanded before the file is opened, so the file is unknown. */
function fileOf({ word }: WordToken): ShellWord {
  return word.isGlob ? { ...word, value: undefined } : word;
}

/** @returns undefined for a copy of an unknown descriptor. */
function directionOf(
  operator: RedirectToken,
  target: WordToken,
  hasDescriptor: boolean,
): Redirect["direction"] | undefined {
  const known = DIRECTIONS[operator.text];
  if (known) return known;
  const { source } = target.word;
  if (/^[0-9]+$/.test(source)) return "duplicate";
  return operator.text === ">&" && !hasDescriptor && PLAIN_FILE.test(source) ? "write" : undefined;
}
