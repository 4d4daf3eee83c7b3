import { NotUnderstood } from "./not-understood.ts";
import type { Reader } from "./reader.ts";
import type { RedirectToken, WordToken } from "./tokens.ts";
import type { Redirect, ShellWord } from "./types.ts";

/** bash itself opens a connection for these names (manual, "Redirections"). */
const NETWORK = /^\/dev\/(?:tcp|udp)(?:\/|$)/;

/** bash expands the word of `>&word` twice, so that `>& '$(id)'` runs id: only what no expansion changes is known. */
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

/**
 * Reads one redirect, from its descriptor or operator on.
 * @throws {NotUnderstood} no target, a network pseudo-file, or a duplication that can't be known.
 */
export function parseRedirect(reader: Reader): Redirect {
  const start = reader.tokens[reader.at]?.start ?? 0;
  const hasDescriptor = reader.tokens[reader.at]?.kind === "descriptor";
  if (hasDescriptor) reader.at += 1;
  const operator = reader.tokens[reader.at];
  if (operator?.kind !== "redirect") throw new NotUnderstood("a redirect is incomplete", reader.source.slice(start));
  reader.at += 1;
  if (operator.text.endsWith("&-")) {
    const target: ShellWord = { source: "-", value: "-", isGlob: false };
    return { source: reader.source.slice(start, operator.end), direction: "duplicate", target };
  }
  const target = reader.tokens[reader.at];
  if (target?.kind !== "word")
    throw new NotUnderstood("a redirect names no target", reader.source.slice(start, operator.end));
  reader.at += 1;
  const direction = directionOf(operator, target, hasDescriptor);
  const named = direction === "read" || direction === "write";
  if (named && target.word.value !== undefined && NETWORK.test(target.word.value))
    throw new NotUnderstood("a redirect opens a network connection", target.word.source);
  return {
    source: reader.source.slice(start, target.end),
    direction,
    // A pattern is expanded before the file is opened: which file that is, can't be known.
    target: named && target.word.isGlob ? { ...target.word, value: undefined } : target.word,
  };
}

function directionOf(operator: RedirectToken, target: WordToken, hasDescriptor: boolean): Redirect["direction"] {
  const known = DIRECTIONS[operator.text];
  if (known) return known;
  const { source } = target.word;
  if (/^[0-9]+$/.test(source)) return "duplicate";
  if (operator.text === ">&" && !hasDescriptor && PLAIN_FILE.test(source)) return "write";
  throw new NotUnderstood("a descriptor is copied from something that can't be known", `${operator.text}${source}`);
}
