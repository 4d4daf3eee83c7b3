import { isAbsolute, normalize, relative, resolve } from "node:path";
import { textOf, toolUses } from "../../contracts/message.ts";
import type { ResultFacts } from "../../contracts/result-facts.ts";
import { resultsAfter, type StartFile, type Step } from "./recording.ts";

/** Current project files in the session's folder; undefined for binary, oversized and missing files. */
export type PresentText = (path: string) => Promise<string | undefined>;

export type StartFiles = {
  readonly files: readonly StartFile[];
  /** Files that the session changed and whose original content is unknown: relative paths. */
  readonly unknown: readonly string[];
};

type EditPair = { readonly oldText: string; readonly newText: string; readonly all: boolean };
/** Lines that Read showed before the first change, by number. */
type Lines = ReadonlyMap<number, string>;
type Track = {
  start: string | null | undefined;
  isChanged: boolean;
  /** Changes since the start, oldest first; undefined if one of them cannot be undone. */
  edits: EditPair[] | undefined;
  readonly seen: Map<number, string>;
};

const CHANGING: ReadonlySet<string> = new Set(["Edit", "Write", "NotebookEdit"]);

/** The preparation of a recorded file before a replay, with an optional note for the reader. */
type FilePreparation =
  | { readonly what: "leave" }
  | { readonly what: "place"; readonly text: string | null }
  | { readonly what: "leave"; readonly note: string };

/**
 * The original content of project files, as far as the session shows it. A file that Read showed completely before its
 * first change has that content; a file that Write or Edit created did not exist. For other edited files, the edits are
 * undone in the current content, and the result is used if all lines that Read showed match it.
 * @param root The project root: absolute, like `cwd` of the steps.
 */
export async function startFiles(
  steps: readonly Step[],
  { root, home, present }: { readonly root: string; readonly home: string; readonly present: PresentText },
): Promise<StartFiles> {
  const tracks = track(steps, root, home);
  const files: StartFile[] = [];
  const unknown: string[] = [];
  for (const [path, found] of [...tracks].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { isChanged } = found;
    const text = found.start === undefined && isChanged ? await undone(path, found, present) : found.start;
    if (text !== undefined) files.push({ kind: "file", path, text, isChanged });
    else if (isChanged) unknown.push(path);
  }
  return { files, unknown };
}

function track(steps: readonly Step[], root: string, home: string): ReadonlyMap<string, Track> {
  const tracks = new Map<string, Track>();
  let cwd = root;
  for (const [index, step] of steps.entries()) {
    if (step.kind === "setup" && step.isStart) cwd = step.cwd;
    if (step.kind !== "answer") continue;
    const results = resultsAfter(steps, index);
    for (const { id, name, input } of toolUses(step.message)) {
      const result = results.get(id);
      const path = pathOf(input, { root, cwd, home });
      if (!result?.ran || result.isError || path === undefined) continue;
      let found = tracks.get(path);
      if (!found) {
        found = { start: undefined, isChanged: false, edits: [], seen: new Map() };
        tracks.set(path, found);
      }
      if (name === "Read") noteRead(found, textOf(result.content));
      if (CHANGING.has(name)) noteChange(found, name, input, result);
    }
  }
  return tracks;
}

function pathOf(
  input: Readonly<Record<string, unknown>>,
  { root, cwd, home }: { readonly root: string; readonly cwd: string; readonly home: string },
): string | undefined {
  const given = input["file_path"] ?? input["notebook_path"] ?? input["path"];
  if (typeof given !== "string" || given === "" || given.includes("\0")) return undefined;
  const absolute = given.startsWith("~/") ? resolve(home, given.slice(2)) : normalize(resolve(cwd, given));
  const path = relative(root, absolute);
  if (path === "" || isAbsolute(path) || path.split("/").some((part) => part === ".." || part === ".git"))
    return undefined;
  return path;
}

function noteRead(found: Track, text: string): void {
  if (found.isChanged) return;
  const whole = wholeText(text);
  if (whole !== undefined) found.start ??= whole;
  for (const [number, line] of linesIn(text)) found.seen.set(number, line);
}

/** A file as Read showed it; undefined unless Read showed it completely, in UTF-8 with plain line ends. */
export function wholeText(shown: string): string | undefined {
  if (/^.* is empty \(0 bytes\)\.$/.test(shown)) return "";
  const rows = shown.split("\n");
  const body = rows.findIndex((row, index) => !isLine(row, index + 1));
  const lines = (body < 0 ? rows : rows.slice(0, body)).map((row) => row.slice(row.indexOf("\t") + 1));
  const notes = body < 0 ? [] : rows.slice(body);
  if (lines.length === 0 || lines.some((line) => /… \[[\d,]+ more bytes in this line\]$/.test(line))) return undefined;
  const [note, ...more] = notes;
  if (more.length > 0) return undefined;
  if (note === undefined) return `${lines.join("\n")}\n`;
  return note === "[no newline at the end of the file]" ? lines.join("\n") : undefined;
}

function isLine(row: string, number: number): boolean {
  return row.startsWith(`${String(number).padStart(6)}\t`);
}

function linesIn(shown: string): Lines {
  const found = new Map<number, string>();
  for (const row of shown.split("\n")) {
    const [, number, line] = /^ *(\d+)\t(.*)$/.exec(row) ?? [];
    if (number !== undefined && line !== undefined && !/more bytes in this line\]$/.test(line))
      found.set(Number(number), line);
  }
  return found;
}

function noteChange(
  found: Track,
  name: string,
  input: Readonly<Record<string, unknown>>,
  { wrote }: ResultFacts,
): void {
  if (!found.isChanged && wrote === "new") found.start = null;
  found.isChanged = true;
  const edits = name === "Edit" && wrote !== "new" ? editsOf(input) : undefined;
  // A corrected edit did not change exactly the text in its input.
  found.edits = edits && found.edits && wrote !== "adapted" ? [...found.edits, ...edits] : undefined;
}

function editsOf(input: Readonly<Record<string, unknown>>): EditPair[] | undefined {
  const list = Array.isArray(input["edits"]) && input["edits"].length > 0 ? (input["edits"] as unknown[]) : [input];
  const pairs = list.map((item): EditPair | undefined => {
    const { old_string: oldText, new_string: newText, replace_all: all = input["replace_all"] } = asRecord(item);
    return typeof oldText === "string" && typeof newText === "string"
      ? { oldText, newText, all: all === true }
      : undefined;
  });
  return pairs.every((pair) => pair !== undefined) ? pairs : undefined;
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

async function undone(path: string, { edits, seen }: Track, present: PresentText): Promise<string | undefined> {
  if (!edits) return undefined;
  let text = await present(path);
  for (const { oldText, newText, all } of [...edits].reverse()) {
    // Only unique text can be mapped back to the earlier content.
    if (text === undefined || newText === "" || all) return undefined;
    const at = text.indexOf(newText);
    if (at < 0 || text.indexOf(newText, at + 1) >= 0) return undefined;
    text = text.slice(0, at) + oldText + text.slice(at + newText.length);
  }
  const lines = text?.split("\n") ?? [];
  return [...seen].every(([number, line]) => lines[number - 1] === line) ? text : undefined;
}

/**
 * A file that the session changed gets its original content. A file that the session only read is created if it is
 * missing; an existing file stays unchanged, so that later changes show.
 * @param present The current text, with the same redaction; undefined if there is no file.
 */
export function prepareFile({ path, text, isChanged }: StartFile, present: string | undefined): FilePreparation {
  const isThere = present !== undefined;
  if (text === (present ?? null)) return { what: "leave" };
  if (isChanged || !isThere) return { what: "place", text };
  return { what: "leave", note: `${path} has changed since the recording; the replay uses the current file` };
}
