import { LRUCache } from "lru-cache";
import { InvalidInputError } from "../../contracts/errors.ts";
import type { Redactor } from "../../contracts/ports.ts";
import { decode, detectEncoding } from "../../platform/files/encoding.ts";
import { readStamp } from "../../platform/files/file-stamp.ts";
import { loadFile } from "../../platform/files/load-file.ts";
import { secretFinder } from "./find-secrets.ts";
import { looksLikePassword } from "./judge-value.ts";
import { findPlaceholders, knownValueFinder, nameOf, placeholderFor } from "./placeholder.ts";
import type { Finder, SecretMatch } from "./secret-match.ts";

/** The largest file that is read; Edit has the same limit. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

const MAX_SCANS = 5;
/** The maximum number of values of this session that are searched in every text. */
const MAX_REMEMBERED = 100;
/** A shorter value could be part of ordinary text. */
const MIN_REMEMBERED_CHARS = 8;

export type RedactorDeps = {
  /** Key for placeholder names (see redaction-key.ts), or the function that gets it for the first placeholder. */
  readonly key: Uint8Array | (() => Uint8Array);
  /** Values that are secret in any form: see `credentialValues` of platform/processes/credential-variables.ts. */
  readonly knownValues?: readonly string[];
  /** Further values learned during the session, such as fetched API keys. */
  readonly laterValues?: () => readonly string[];
};

/** Loads the rules and creates the redactor; see docs/guide/secrets.md for what it finds. */
export async function createRedactor({ key: given, knownValues = [], laterValues }: RedactorDeps): Promise<Redactor> {
  const { ruleSetFinder } = await import("./rule-set.ts");
  let known: Uint8Array | undefined;
  const key = () => {
    known ??= typeof given === "function" ? given() : given;
    return known;
  };
  const memory = new SessionMemory();
  const later = (text: string) => (laterValues ? knownValueFinder(laterValues())(text) : []);
  const find = secretFinder(ruleSetFinder(), knownValues, (text) => [...later(text), ...memory.find(text)]);
  return {
    redact: (text) =>
      redactAll(text, find, (match, value) => {
        memory.note(match, value);
        return placeholderFor(match.kind, nameOf(match.identity ?? value, key()));
      }),
    restore: async (text, path) => {
      const wanted = findPlaceholders(text);
      if (wanted.length === 0) return text;
      const file = await valuesIn(path, { find, key: key() });
      // A restored password may be in a context that does not reveal it as a password, so it is remembered.
      for (const { name, text: placeholder } of wanted) {
        const value = file.values.get(name);
        if (value !== undefined) memory.note({ kind: kindOf(placeholder) }, value, true);
      }
      return putBack(text, file, path);
    },
    placeholdersIn: (text) => [...new Set(findPlaceholders(text).map((placeholder) => placeholder.text))],
  };
}

/**
 * Hiding a value can expose another (two overlapping keys), so the text is scanned again until nothing is found. A text
 * without secrets is scanned once.
 */
function redactAll(text: string, find: Finder, toPlaceholder: ToPlaceholder): string {
  let shown = text;
  for (let scan = 0; scan < MAX_SCANS; scan += 1) {
    const found = find(shown);
    if (found.length === 0) break;
    shown = hide(shown, found, toPlaceholder);
  }
  return shown;
}

type ToPlaceholder = (match: SecretMatch, value: string) => string;

function hide(text: string, found: readonly SecretMatch[], toPlaceholder: ToPlaceholder): string {
  const parts: string[] = [];
  let at = 0;
  for (const match of found) {
    const { start, end } = match;
    parts.push(text.slice(at, start), toPlaceholder(match, text.slice(start, end)));
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join("");
}

function identityOf(text: string, { start, end, identity }: SecretMatch): string {
  return identity ?? text.slice(start, end);
}

function kindOf(placeholder: string): string {
  return placeholder.split(":")[1] ?? "";
}

/** The current content of a file: its text, and its secrets by placeholder name. */
type FileSecrets = { readonly text: string; readonly values: ReadonlyMap<string, string> };

async function valuesIn(path: string, { find, key }: { find: Finder; key: Uint8Array }): Promise<FileSecrets> {
  const text = (await readFileText(path)) ?? "";
  const named = find(text).map(
    (match) => [nameOf(identityOf(text, match), key), text.slice(match.start, match.end)] as const,
  );
  return { text, values: new Map(named) };
}

/** A placeholder that the file itself contains literally is ordinary text and stays. */
function putBack(text: string, file: FileSecrets, path: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, name, text: placeholder } of findPlaceholders(text)) {
    const value = file.values.get(name) ?? (file.text.includes(placeholder) ? placeholder : undefined);
    if (value === undefined) throw new InvalidInputError(refusal(placeholder, path));
    parts.push(text.slice(at, start), inLineEndsOf(text, value));
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join("");
}

/** A value of several lines takes the line ends of the surrounding text; the file writer normalises them. */
function inLineEndsOf(text: string, value: string): string {
  if (!value.includes("\n")) return value;
  const plain = value.replaceAll("\r\n", "\n");
  return text.includes("\r\n") ? plain.replaceAll("\n", "\r\n") : plain;
}

function refusal(placeholder: string, path: string): string {
  return `${placeholder} stands for a secret that is hidden from you, and ${path} does not hold its value (now). A secret can't be copied to another file: write a reference to an environment variable instead, or ask the user to put the value there.`;
}

/** True if the position is inside a word: a value that ends there is part of a longer value. */
function joins(text: string, at: number): boolean {
  return /^[A-Za-z0-9]{2}$/.test(text.slice(Math.max(0, at - 1), at + 1));
}

/**
 * Values hidden because of their context, and restored values. The values are kept only in memory, so that they stay
 * hidden even without their context. The oldest are dropped first.
 */
class SessionMemory {
  readonly #kinds = new LRUCache<string, string>({ max: MAX_REMEMBERED });

  /** @param isCertain Remember the value in any form. */
  note({ kind }: Pick<SecretMatch, "kind">, value: string, isCertain = false): void {
    const isKnownByShape = kind !== "password" && kind !== "url-password";
    if (value.length < MIN_REMEMBERED_CHARS || value.includes("\n")) return;
    if (isCertain || (!isKnownByShape && looksLikePassword(value))) this.#kinds.set(value, kind);
  }

  find(text: string): readonly SecretMatch[] {
    const found: SecretMatch[] = [];
    for (const [value, kind] of this.#kinds.entries()) {
      for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) {
        const end = at + value.length;
        if (!joins(text, at) && !joins(text, end)) found.push({ start: at, end, kind });
      }
    }
    return found;
  }
}

/**
 * The text of a file as tools read it; undefined for a missing or binary file.
 * @param path Absolute, symlinks resolved.
 * @throws {ToolFailedError} the file can't be read or is too large.
 */
async function readFileText(path: string): Promise<string | undefined> {
  if (!(await readStamp(path))) return undefined;
  const { bytes } = await loadFile(path, MAX_FILE_BYTES, new AbortController().signal);
  const encoding = detectEncoding(bytes);
  return encoding === "binary" ? undefined : decode(bytes, encoding);
}
