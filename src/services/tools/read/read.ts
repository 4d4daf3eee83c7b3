import { join } from "node:path";
import { plural } from "@quoll/terminal-text/plural";
import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import { type DocumentReader, documentKind } from "../../../contracts/documents.ts";
import { ToolFailedError } from "../../../contracts/errors.ts";
import type { BinaryRead, LineWindow } from "../../../contracts/files.ts";
import { imageHeader } from "../../../contracts/image-header.ts";
import { pagesWords } from "../../../contracts/read-words.ts";
import { type ToolContext, type ToolResult, textResult } from "../../../contracts/tool.ts";
import { listFolder } from "../../../platform/files/list-folder.ts";
import { type KnownDeps, knownState } from "../known-file.ts";
import { isSameKnown, type KnownState, type ReadTracker } from "../read-tracker.ts";
import { count, type PathDeps, resolveTarget, subjectOf, type Target, withMachineNote } from "../target-file.ts";
import { missingFile } from "./missing-file.ts";
import { readImage } from "./read-image.ts";
import { type Range, showText } from "./read-text.ts";
import { readSpec } from "./spec.ts";

export const readInput = z.object({
  file_path: z.string().min(1),
  offset: z.number().min(0).optional().describe("First line, from 1"),
  limit: z.number().min(1).optional().describe("Most lines; 2000 by default"),
  pages: z.string().optional().describe("Such as 1-5"),
});

const NOTEBOOK = /\.ipynb$/i;
const DEFAULT_LINES = 2_000;
const MAX_LINE_CHARS = 2_000;
const MAX_RESULT_TOKENS = 25_000;
const CHARS_A_TOKEN = 4;

export type ReadDeps = PathDeps & {
  readonly tracker: ReadTracker;
  /** Loaded with the first document. */
  documents(): Promise<DocumentReader>;
};

export const readTool = ({ home, isHidden, tracker, temporary, documents }: ReadDeps) =>
  defineTool(readSpec, readInput, async (input, { cwd, signal, files, toolUseId, accepts }) => {
    const target = await resolveTarget(input.file_path, { cwd, home, temporary });
    // A rule that denies a file refuses it before its existence is checked.
    const stamp = isHidden(target.path) ? undefined : await files.stamp(target.path);
    if (!stamp && !isHidden(target.path)) throw await missingFile({ target, cwd, isHidden, signal });
    const range = {
      offset: Math.max(1, Math.trunc(input.offset ?? 1)),
      limit: Math.trunc(input.limit ?? DEFAULT_LINES),
      pages: input.pages?.trim() || undefined,
    };
    return {
      level: "read",
      concurrencySafe: true,
      subjects: [subjectOf("read", target)],
      title: titleOf(target, range),
      run: async () => {
        const result =
          stamp?.kind === "folder"
            ? await readFolder(target, { offset: range.offset, limit: input.limit && range.limit }, isHidden)
            : await show(target, range, { tracker, files, signal, toolUseId, accepts, documents });
        return withMachineNote(result, target);
      },
    };
  });

type Wanted = Range & { readonly pages: string | undefined };
type ShowDeps = KnownDeps & Pick<ToolContext, "toolUseId" | "accepts"> & Pick<ReadDeps, "documents">;

function titleOf({ shown }: Target, { offset, pages }: Wanted): string {
  if (pages !== undefined) return `${shown}, ${pagesWords(pages)}`;
  return offset > 1 ? `${shown}:${offset}` : shown;
}

async function show(target: Target, range: Wanted, deps: ShowDeps): Promise<ToolResult> {
  const window = {
    firstLine: range.offset,
    maxLines: range.limit,
    maxLineChars: MAX_LINE_CHARS,
    maxChars: MAX_RESULT_TOKENS * CHARS_A_TOKEN,
  };
  const cells = NOTEBOOK.test(target.path) ? await showNotebook(target, window, deps) : undefined;
  if (cells) return cells;
  const read = await deps.files.readLines(target.path, window, deps.signal);
  if ("head" in read) return showBinary(target, read, range, deps);
  const state = { modifiedMs: read.stamp.modifiedMs, size: read.stamp.size, hash: read.hash };
  return unlessShown(target, { state, result: showText(target, read, range) }, keyOf(window), deps);
}

/** The same lines of the same file have the same key. */
function keyOf({ firstLine, maxLines }: LineWindow): string {
  return `${firstLine}:${maxLines}`;
}

/** @returns undefined if the file has another content than its name says. */
async function showNotebook(target: Target, window: LineWindow, deps: ShowDeps): Promise<ToolResult | undefined> {
  const { readNotebook } = await import("./read-notebook.ts");
  const read = await readNotebook(target, window, deps);
  return read && unlessShown(target, read, keyOf(window), deps);
}

/** The result, or that it is what the model was shown before. */
function unlessShown(
  target: Target,
  { state, result }: { readonly state: KnownState; readonly result: ToolResult },
  key: string,
  { tracker, toolUseId }: Pick<ShowDeps, "tracker" | "toolUseId">,
): ToolResult {
  const known = tracker.get(target.path);
  if (known?.madeBy === "read" && known.ranges.has(key) && isSameKnown(known, state)) {
    // "Unchanged" is answered only once: a model that asks again has lost the text and gets it.
    tracker.dropRange(target.path, key);
    const text = `${target.shown} is unchanged since you read these lines; what you were shown still holds.`;
    return textResult(text, {
      exemptFromSpill: true,
      shows: "nothing",
      ...tracker.factOf(target.path, state),
      display: { kind: "summary", text: "unchanged" },
    });
  }
  tracker.noteRead(target.path, state, { range: key, toolUseId });
  return { ...result, ...tracker.factOf(target.path, state) };
}

async function showBinary(
  target: Target,
  { head, stamp }: BinaryRead,
  { offset, limit, pages }: Wanted,
  deps: ShowDeps,
): Promise<ToolResult> {
  const { tracker, files, signal, toolUseId } = deps;
  if (documentKind(head, target.path) !== undefined) {
    const { readDocument } = await import("./read-document.ts");
    const window = { offset, limit, maxChars: MAX_RESULT_TOKENS * CHARS_A_TOKEN, pages, size: stamp.size };
    const read = await readDocument(target, window, deps);
    return unlessShown(target, read, `${pages ?? "all"} ${offset}:${limit}`, deps);
  }
  if (imageHeader(head)) {
    const { result, file } = await readImage(target, stamp.size, { files, signal });
    tracker.noteRead(target.path, knownState(file.stamp, file.bytes), { range: "image", toolUseId });
    return result;
  }
  const { kind, hint } = binaryKind(head);
  throw new ToolFailedError(
    `${target.shown} is ${kind} (${count(stamp.size)} bytes), not text. ${hint.replaceAll("FILE", JSON.stringify(target.shown))}`,
  );
}

const KINDS: readonly {
  readonly kind: string;
  readonly magic: string;
  readonly at?: number;
  readonly hint?: string;
}[] = [
  { kind: "a ZIP archive (or a jar or wheel)", magic: "PK\x03\x04", hint: "List it with `unzip -l FILE`." },
  { kind: "gzip data", magic: "\x1f\x8b", hint: "See it with `zcat FILE | head`." },
  { kind: "zstd data", magic: "\x28\xb5\x2f\xfd", hint: "See it with `zstdcat FILE | head`." },
  { kind: "xz data", magic: "\xfd7zXZ\0", hint: "See it with `xzcat FILE | head`." },
  { kind: "bzip2 data", magic: "BZh", hint: "See it with `bzcat FILE | head`." },
  { kind: "an SQLite database", magic: "SQLite format 3\0", hint: "Ask it with `sqlite3 FILE .schema`." },
  { kind: "an ELF program or library", magic: "\x7fELF" },
  { kind: "a Mach-O program or library", magic: "\xcf\xfa\xed\xfe" },
  { kind: "a Java class or universal Mach-O file", magic: "\xca\xfe\xba\xbe" },
  { kind: "a Windows program", magic: "MZ" },
  { kind: "a WebAssembly module", magic: "\0asm" },
  { kind: "a tar archive", magic: "ustar", at: 257, hint: "List it with `tar tf FILE`." },
  { kind: "a font", magic: "wOF" },
  { kind: "an icon", magic: "\0\0\x01\0" },
  { kind: "a BMP image", magic: "BM", hint: "Only PNG, JPEG, GIF and WebP can be shown." },
  { kind: "an MP4 or QuickTime video", magic: "ftyp", at: 4 },
  { kind: "an Ogg sound", magic: "OggS" },
];

/** Describes a binary file by its first bytes. @returns the kind and, if there is one, a way to view it. */
function binaryKind(head: Buffer): { readonly kind: string; readonly hint: string } {
  const found = KINDS.find(({ magic, at = 0 }) => head.toString("latin1", at, at + magic.length) === magic);
  return {
    kind: found?.kind ?? "binary data",
    hint: found?.hint ?? "`file FILE` or `xxd FILE | head` in Bash say more.",
  };
}

/** Entries of a page, unless the call says otherwise. */
const DEFAULT_ENTRIES = 200;

/**
 * The names in a folder, folders with a slash, without those that rules hide.
 * @param range The first entry, from 1, and how many; without `limit` 200.
 * @throws {ToolFailedError} the folder is missing or unreadable.
 */
async function readFolder(
  target: Target,
  { offset, limit = DEFAULT_ENTRIES }: { readonly offset: Range["offset"]; readonly limit: number | undefined },
  isHidden: PathDeps["isHidden"],
): Promise<ToolResult> {
  const entries = await listFolder(target.path);
  const names = entries
    .filter(({ name }) => !isHidden(join(target.path, name)))
    .map(({ name, kind }) => (kind === "folder" ? `${name}/` : name));
  const display = { kind: "summary", text: plural(names.length, "name") } as const;
  if (names.length === 0) return textResult(`${target.shown} is an empty folder.`, { display });
  const shown = names.slice(offset - 1, offset - 1 + limit);
  const end = offset - 1 + shown.length;
  const head = `${target.shown} is a folder with ${plural(names.length, "name")}:`;
  const more = end < names.length ? [`[${count(names.length - end)} more; go on with offset ${count(end + 1)}]`] : [];
  const none = shown.length === 0 ? [`[offset ${count(offset)} is behind the last name]`] : [];
  return textResult([head, ...shown, ...none, ...more].join("\n"), { display });
}
