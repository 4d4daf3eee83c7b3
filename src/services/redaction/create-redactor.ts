import { LRUCache } from "lru-cache";
import { InvalidInputError } from "../../contracts/errors.ts";
import type { Redactor } from "../../contracts/ports.ts";
import { secretFinder } from "./find-secrets.ts";
import { looksLikePassword } from "./judge-value.ts";
import { knownValueFinder } from "./known-value.ts";
import { findPlaceholders, nameOf, placeholderFor } from "./placeholder.ts";
import { readFileText } from "./read-file-text.ts";
import type { Finder, SecretMatch } from "./secret-match.ts";

const MAX_ROUNDS = 5;
/** Values of this session that are looked for wherever they stand. */
const MAX_REMEMBERED = 100;
/** A shorter one could be part of ordinary text. */
const MIN_REMEMBERED_CHARS = 8;

export type RedactorDeps = {
  /** Names the placeholders: see redaction-key.ts. */
  readonly key: Uint8Array;
  /** Values that are secret whatever their shape: see `credentialValues` of platform/processes/credential-variables.ts. */
  readonly knownValues?: readonly string[];
  /** More of them, that become known as the session goes on: keys that were looked up. */
  readonly laterValues?: () => readonly string[];
};

/** Loads the rules and makes what hides credentials; see docs/guide/secrets.md for what it finds. */
export async function createRedactor({ key, knownValues = [], laterValues }: RedactorDeps): Promise<Redactor> {
  const { ruleSetFinder } = await import("./rule-set.ts");
  const memory = new SessionMemory();
  const later = (text: string) => (laterValues ? knownValueFinder(laterValues())(text) : []);
  const find = secretFinder(ruleSetFinder(), knownValues, (text) => [...later(text), ...memory.find(text)]);
  return {
    redact: (text) =>
      redactAll(text, find, (match, value) => {
        memory.note(match, value);
        return placeholderFor(match.kind, nameOf(match.identity ?? value, key));
      }),
    restore: async (text, path) => {
      const wanted = findPlaceholders(text);
      if (wanted.length === 0) return text;
      const file = await valuesIn(path, { find, key });
      // Put back in another place, a password would not be known for one by what stands around it.
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
 * Once a value is hidden, what stood around it may read otherwise (two keys cut into each other): it is looked at again, until
 * there is nothing more to hide. A text without secrets is looked at once.
 */
function redactAll(text: string, find: Finder, toPlaceholder: ToPlaceholder): string {
  let shown = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
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

/** What a file holds now: its text, and its secrets by the name in their placeholders. */
type FileSecrets = { readonly text: string; readonly values: ReadonlyMap<string, string> };

async function valuesIn(path: string, { find, key }: { find: Finder; key: Uint8Array }): Promise<FileSecrets> {
  const text = (await readFileText(path)) ?? "";
  const named = find(text).map(
    (match) => [nameOf(identityOf(text, match), key), text.slice(match.start, match.end)] as const,
  );
  return { text, values: new Map(named) };
}

/** A placeholder that stands in the file itself, letter by letter, is ordinary text there and stays. */
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

/** A value of several lines takes the line ends of the text around it: who writes the file settles those for all of it. */
function inLineEndsOf(text: string, value: string): string {
  if (!value.includes("\n")) return value;
  const plain = value.replaceAll("\r\n", "\n");
  return text.includes("\r\n") ? plain.replaceAll("\n", "\r\n") : plain;
}

function refusal(placeholder: string, path: string): string {
  return `${placeholder} stands for a secret that is hidden from you, and ${path} does not hold its value (now). A secret can't be copied to another file: write a reference to an environment variable instead, or ask the user to put the value there.`;
}

/** Whether letters or digits stand on both sides: what ends there is the part of something longer. */
function joins(text: string, at: number): boolean {
  return /^[A-Za-z0-9]{2}$/.test(text.slice(Math.max(0, at - 1), at + 1));
}

/**
 * Values that were hidden for what stood around them, and those that were put back: in this process's memory alone, so that they
 * stay hidden where nothing around them says what they are. The oldest are forgotten first.
 */
class SessionMemory {
  readonly #kinds = new LRUCache<string, string>({ max: MAX_REMEMBERED });

  /** @param isCertain take it whatever it looks like. */
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
