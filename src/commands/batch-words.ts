import type { BatchLimit, BatchRequest, BatchSource } from "../contracts/batch.ts";
import { didYouMean } from "../contracts/did-you-mean.ts";
import { UserFacingError } from "../contracts/errors.ts";

/** The argument of `/batch`, understood. */
export type BatchWords =
  | { readonly kind: "list" }
  | { readonly kind: "show"; readonly id: number }
  | {
      readonly kind: "run";
      readonly id: number;
      readonly retriesFailed: boolean;
      readonly budget: BatchLimit | undefined;
    }
  | { readonly kind: "plan"; readonly request: BatchRequest; readonly isConfirmed: boolean };

const SOURCES: readonly BatchSource["kind"][] = ["files", "lines", "jsonl"];
const WITH_VALUE = [
  ...SOURCES,
  "agent",
  "model",
  "max-usd",
  "max-tokens",
  "parallel",
  "out",
  "expect-files",
  "expect-command",
  "schema",
];
const ALONE = ["yes", "retry-failed", "worktree"];
const MAX_PARALLEL = 100;
/** A word, or text in quotes. */
const WORD = /\s*(?:"([^"]*)"|'([^']*)'|(\S+))/y;
const END = "--";

/** @throws {UserFacingError} one line: which part can't be understood, and how to write it. */
export function readBatchWords(argument: string): BatchWords {
  const { words, prompt } = split(argument);
  const [first, second, ...rest] = words;
  if (first === undefined) return prompt === undefined ? { kind: "list" } : withoutSource();
  if (first === "show") return { kind: "show", id: idOf(second) };
  if (first === "run") {
    const options = optionsOf(rest, ["max-usd", "max-tokens", "retry-failed"]);
    return { kind: "run", id: idOf(second), retriesFailed: options.has("retry-failed"), budget: budgetOf(options) };
  }
  const options = optionsOf(words, [...WITH_VALUE, "worktree", "yes"]);
  const sources = SOURCES.filter((kind) => options.has(kind));
  const [kind] = sources;
  if (kind === undefined || sources.length > 1) return withoutSource();
  if (prompt === undefined || prompt.trim() === "") throw new UserFacingError("Give the prompt after ` -- `.");
  return {
    kind: "plan",
    isConfirmed: options.has("yes"),
    request: {
      source: { kind, value: options.get(kind) ?? "" },
      template: prompt.trim(),
      ...givenText(options, "agent"),
      ...givenText(options, "model"),
      ...givenText(options, "out"),
      ...(options.has("parallel") && { parallel: wholeNumber(options.get("parallel"), "--parallel", MAX_PARALLEL) }),
      ...(options.has("worktree") && { isIsolated: true }),
      ...definedExpect(options),
      ...definedBudget(options),
    },
  };
}

function withoutSource(): never {
  throw new UserFacingError("Name one source of inputs: --files GLOB, --lines FILE or --jsonl FILE.");
}

/** The words before ` -- `, and the text behind it as it was typed. */
function split(argument: string): { readonly words: readonly string[]; readonly prompt: string | undefined } {
  const words: string[] = [];
  WORD.lastIndex = 0;
  for (let match = WORD.exec(argument); match; match = WORD.exec(argument)) {
    if (match[3] === END) return { words, prompt: argument.slice(WORD.lastIndex) };
    words.push(match[1] ?? match[2] ?? match[3] ?? "");
    if (WORD.lastIndex >= argument.trimEnd().length) break;
  }
  return { words, prompt: undefined };
}

function optionsOf(words: readonly string[], known: readonly string[]): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  const waiting = [...words];
  for (let word = waiting.shift(); word !== undefined; word = waiting.shift()) {
    const [name = "", inline] = word.replace(/^--/, "").split(/=(.*)/s);
    if (!word.startsWith("--") || !known.includes(name)) throw unknownWord(word, known);
    if (ALONE.includes(name)) {
      options.set(name, "");
      continue;
    }
    const value = inline ?? waiting.shift();
    if (value === undefined || value === "" || (inline === undefined && value.startsWith("--")))
      throw new UserFacingError(`--${name} needs a value.`);
    options.set(name, value);
  }
  return options;
}

function unknownWord(word: string, known: readonly string[]): UserFacingError {
  const names = known.map((name) => `--${name}`);
  const hint = didYouMean(word, names, `The options are ${names.join(", ")}; the prompt comes after \` -- \`.`);
  return new UserFacingError(`/batch does not know "${word}". ${hint}`);
}

function givenText(options: ReadonlyMap<string, string>, name: "agent" | "model" | "out") {
  const value = options.get(name);
  return value === undefined ? {} : { [name]: value };
}

function definedExpect(options: ReadonlyMap<string, string>): Pick<BatchRequest, "expect"> {
  const given = options.get("expect-files")?.split(",") ?? [];
  const files = given.map((file) => file.trim()).filter((file) => file !== "");
  const [command, schemaFile] = [options.get("expect-command"), options.get("schema")];
  const expect = {
    ...(files.length > 0 && { files }),
    ...(command !== undefined && { command }),
    ...(schemaFile !== undefined && { schemaFile }),
  };
  return Object.keys(expect).length > 0 ? { expect } : {};
}

function definedBudget(options: ReadonlyMap<string, string>) {
  const budget = budgetOf(options);
  return budget && { budget };
}

function budgetOf(options: ReadonlyMap<string, string>): BatchLimit | undefined {
  const usd = options.get("max-usd");
  const tokens = options.get("max-tokens");
  if (usd !== undefined && tokens !== undefined) throw new UserFacingError("Give --max-usd or --max-tokens, not both.");
  if (tokens !== undefined) return { unit: "tokens", limit: wholeNumber(tokens, "--max-tokens") };
  if (usd === undefined) return undefined;
  const limit = Number(usd.replace(/^\$/, ""));
  if (!(limit > 0) || !Number.isFinite(limit))
    throw new UserFacingError(`--max-usd needs an amount, such as 5 or 0.50, not "${usd}".`);
  return { unit: "usd", limit };
}

function idOf(word: string | undefined): number {
  return wholeNumber(word?.replace(/^#/, ""), "The number of a batch");
}

function wholeNumber(text: string | undefined, name: string, most = Number.MAX_SAFE_INTEGER): number {
  const number = Number(text);
  if (text !== undefined && /^\d+$/.test(text) && number >= 1 && number <= most) return number;
  const range = most === Number.MAX_SAFE_INTEGER ? "" : ` from 1 to ${most}`;
  throw new UserFacingError(`${name} must be a whole number${range}, not "${text ?? ""}".`);
}
