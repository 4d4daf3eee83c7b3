import { join, relative, resolve } from "node:path";
import type { BatchSource } from "../../contracts/batch.ts";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { walkFiles } from "../../platform/files/walk-files.ts";
import { fixedPart } from "../../platform/globs/fixed-part.ts";
import { pathGlobs } from "../../platform/globs/path-glob.ts";
import { readSmallText } from "../../platform/private-file.ts";

const MAX_INPUTS = 10_000;
const MAX_FILE_BYTES = 32 * 1024 * 1024;
export const PLACEHOLDER = /\{([A-Za-z_][\w.-]*)\}/g;
const INPUT = "input";

/** One input of a batch: its text, and the fields of a JSONL object as texts. */
export type BatchInput = { readonly text: string; readonly fields?: Readonly<Record<string, string>> | undefined };

/**
 * Reads the inputs. Files that git ignores do not match a glob; empty lines are skipped.
 * @param cwd The folder for relative paths; paths of files are returned relative to it, sorted.
 * @throws {UserFacingError} there are no inputs or too many, or the file can't be read.
 */
export async function readInputs(
  source: BatchSource,
  cwd: string,
  signal: AbortSignal,
): Promise<readonly BatchInput[]> {
  const inputs = source.kind === "files" ? await filesOf(source.value, cwd, signal) : await linesOf(source, cwd);
  if (inputs.length === 0)
    throw new UserFacingError(
      source.kind === "files" ? `No file matches ${source.value}.` : `${source.value} is empty.`,
    );
  if (inputs.length > MAX_INPUTS)
    throw new UserFacingError(`${source.value} gives more than ${MAX_INPUTS} inputs, the most of one batch: split it.`);
  return inputs;
}

/**
 * The prompt of one input.
 * @param form Formats a value as text; by default the value is inserted unchanged.
 * @throws {UserFacingError} an input lacks a field that the template names.
 */
export function fillTemplate(
  template: string,
  { text, fields }: BatchInput,
  known: ReadonlySet<string>,
  form = (value: string): string => value,
): string {
  return template.replace(PLACEHOLDER, (whole, name: string) => {
    if (!known.has(name)) return whole;
    const value = fields && Object.hasOwn(fields, name) ? fields[name] : name === INPUT ? text : undefined;
    if (value === undefined) throw new UserFacingError(`This input has no field "${name}": ${text.slice(0, 200)}`);
    return form(value);
  });
}

/**
 * The names in braces that are replaced; braces around other words stay unchanged.
 * @throws {UserFacingError} the template names neither `{input}` nor a field, so that all prompts would be the same.
 */
export function namesIn(template: string, inputs: readonly BatchInput[]): ReadonlySet<string> {
  const offered = offeredNames(inputs);
  const used = [...template.matchAll(PLACEHOLDER)].map(([, name = ""]) => name).filter((name) => offered.has(name));
  if (used.length > 0) return new Set(used);
  const fields = [...offered].slice(0, 8).map((name) => `{${name}}`);
  throw new UserFacingError(`The prompt must contain ${fields.join(" or ")}, or all prompts are the same.`);
}

/** `input`, and the fields of all inputs. */
export function offeredNames(inputs: readonly BatchInput[]): ReadonlySet<string> {
  return new Set([INPUT, ...inputs.flatMap(({ fields }) => Object.keys(fields ?? {}))]);
}

async function filesOf(pattern: string, cwd: string, signal: AbortSignal): Promise<readonly BatchInput[]> {
  const { fixed: root, rest } = fixedPart(pattern, { start: cwd, home: cwd });
  if (rest.length === 0) return [{ text: pattern }];
  const isMatch = pathGlobs([rest.join("/")], root);
  if (!isMatch) throw new UserFacingError(`${pattern} has too many alternatives.`);
  const nameOf = (path: string) => (pattern.startsWith("/") ? join(root, path) : relative(cwd, join(root, path)));
  const found: string[] = [];
  for await (const path of walkFiles(root, { signal })) {
    if (isMatch(path)) found.push(nameOf(path));
    if (found.length > MAX_INPUTS) break;
  }
  return found.sort().map((text) => ({ text }));
}

async function linesOf({ kind, value }: BatchSource, cwd: string): Promise<readonly BatchInput[]> {
  const text = await readSmallText(resolve(cwd, value), MAX_FILE_BYTES).catch((cause: unknown) => {
    throw new UserFacingError(`${value} can't be read: ${errorMessage(cause)}.`, 1, { cause });
  });
  if (text === undefined) throw new UserFacingError(`There is no file ${value}.`);
  const lines = text.split(/\r?\n/).map((line, index) => ({ line: line.trim(), number: index + 1 }));
  return lines.flatMap(({ line, number }) => {
    if (line === "") return [];
    return [kind === "lines" ? { text: line } : objectOf(line, `Line ${number} of ${value}`)];
  });
}

function objectOf(line: string, where: string): BatchInput {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new UserFacingError(`${where} is no JSON: ${errorMessage(cause)}.`, 1, { cause });
  }
  if (typeof value === "string") return { text: value };
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UserFacingError(`${where} must be an object or a text.`);
  const fields = Object.entries(value).map(([name, field]) => [name, textOf(field)] as const);
  return { text: line, fields: Object.fromEntries(fields) };
}

function textOf(field: unknown): string {
  return typeof field === "string" ? field : JSON.stringify(field);
}
