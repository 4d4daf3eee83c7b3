import { isUtf8 } from "node:buffer";
import type { FileStamp, Files } from "../../../contracts/files.ts";
import type { NamedPath } from "../../../contracts/ports.ts";
import { realPathOrSelf } from "../../../platform/paths.ts";
import { knownState } from "../known-file.ts";
import type { ReadTracker } from "../read-tracker.ts";

/** The maximum number of files of one command that are compared, and their maximum size in bytes. */
const MAX_FILES = 10;
const MAX_BYTES = 128 * 1024;
/** A text that is part of a word or a number may occur there by chance. */
const BOUNDS = new Set(["", "\n", '"', "'"]);

type Seen = {
  readonly command: string;
  /** The output as the model gets it; absent if it was shortened. */
  readonly output: string | undefined;
};

type Deps = { readonly tracker: ReadTracker; readonly files: Files; readonly signal: AbortSignal };

/**
 * Notes the files of a command whose whole text is in the command itself (a heredoc, printf) or in its output
 * (cat): the model knows them as if it had read them. A file counts only if its current content is that text.
 * @param named The paths that the command names. Files that can't be read are left out.
 */
export async function noteKnownFiles(named: readonly NamedPath[], seen: Seen, deps: Deps): Promise<void> {
  const texts = [seen.command, withLineBreaks(seen.command), ...(seen.output === undefined ? [] : [seen.output])];
  const longest = Math.max(...texts.map((text) => Buffer.byteLength(text)));
  const paths = new Set(named.map(({ path }) => realPathOrSelf(path)));
  for (const path of [...paths].slice(0, MAX_FILES)) {
    const stamp = await deps.files.stamp(path).catch(() => undefined);
    if (stamp && isPossible(stamp, longest)) await noteOne(path, texts, deps);
  }
}

function isPossible({ kind, size }: FileStamp, longest: number): boolean {
  return kind === "file" && size > 0 && size <= Math.min(MAX_BYTES, longest + 1);
}

async function noteOne(path: string, texts: readonly string[], { tracker, files, signal }: Deps): Promise<void> {
  const file = await files.load(path, MAX_BYTES, signal).catch(() => undefined);
  if (!file) return;
  const content = textOf(file.bytes);
  if (content === undefined || !texts.some((text) => holds(text, content))) return;
  tracker.noteShown(path, knownState(file.stamp, file.bytes));
}

/** The text without its last line break; undefined if it holds nothing to recognise, or bytes that are not UTF-8. */
function textOf(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString("utf8").replace(/\n$/, "");
  return text.trim() === "" ? undefined : text;
}

function holds(text: string, content: string): boolean {
  for (let at = text.indexOf(content); at >= 0; at = text.indexOf(content, at + 1))
    if (BOUNDS.has(text.charAt(at - 1)) && BOUNDS.has(text.charAt(at + content.length))) return true;
  return false;
}

/** The words of printf as it prints them: `\n` and `\t` become a line break and a tab. */
function withLineBreaks(command: string): string {
  return command.replace(/\\([nt])/g, (_, letter) => (letter === "n" ? "\n" : "\t"));
}
