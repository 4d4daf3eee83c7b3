import { isUtf8 } from "node:buffer";
import { join } from "node:path";
import { parsePatch, type StructuredPatch, type StructuredPatchHunk } from "diff";
import type { DiffHunk, DiffLine } from "../../contracts/display.ts";
import { type Encoding, LEGACY_ENCODINGS } from "../../contracts/files.ts";
import type { FilePart, PartedFile, TreeChanges } from "../../contracts/session-changes.ts";
import { decode, detectText, UTF_8 } from "../../platform/files/encoding.ts";
import { type ReadableText, readableText } from "../../platform/files/readable-text.ts";
import { readSmallBytes } from "../../platform/read-small-file.ts";
import { type UnshownKind, unshownNote } from "../../platform/unshown-files.ts";
import type { WorktreeGit } from "./io/worktree-git.ts";

/** Untracked files whose text is shown, and their size. */
const MAX_NEW_FILES = 200;
const MAX_NEW_BYTES = 256 * 1024;

/** No program of the repository's settings runs, whatever diff drivers it names. Submodules have settings of their own. */
const DIFF = [
  ...["--no-optional-locks", "-c", "core.quotePath=false", "diff", "--no-color", "--no-ext-diff", "--no-textconv"],
  ...["--no-renames", "--ignore-submodules=dirty", "--unified=3", "--src-prefix=a/", "--dst-prefix=b/"],
];

/**
 * The changes of a work tree against its last commit, with the text of untracked files.
 * @param top The top folder of the work tree; absolute.
 * @throws {UserFacingError} git failed; the abort reason when `signal` aborts.
 */
export async function treeChanges(git: WorktreeGit, top: string, signal: AbortSignal): Promise<TreeChanges> {
  const head = await git.ask(["rev-parse", "--verify", "--quiet", "HEAD"], signal);
  // Before the first commit, all tracked files are new.
  const base =
    head.exitCode === 0 ? "HEAD" : (await git.run(["hash-object", "-t", "tree", "/dev/null"], signal)).trim();
  const diff = await git.runForBytes([...DIFF, base, "--"], signal);
  const patches = await Promise.all(patchesOf(diff).map((patch) => decoded(top, patch)));
  const texts = patches.filter(({ hunks }) => hunks.length > 0);
  const untracked = (await git.run(["ls-files", "--others", "--exclude-standard", "-z"], signal))
    .split("\0")
    .filter((name) => name !== "");
  const shown = (await Promise.all(untracked.slice(0, MAX_NEW_FILES).map((name) => newFile(top, name)))).flat();
  const hidden = untracked.filter((name) => !shown.some(({ path }) => path === name));
  const others = Map.groupBy(
    patches.filter(({ hunks }) => hunks.length === 0),
    unshownKind,
  );
  const named = (kind: UnshownKind) => (others.get(kind) ?? []).map(nameOf);
  const empty = shown.filter(({ hunks }) => hunks.length === 0).map(({ path }) => path);
  return {
    files: [...texts.map((patch) => changedFile(top, patch)), ...shown.filter(({ hunks }) => hunks.length > 0)],
    notes: [
      ...unshownNote("empty", [...named("empty"), ...empty]),
      ...unshownNote("emptied", named("emptied")),
      ...unshownNote("permissions", named("permissions")),
      ...unshownNote("text", named("text")),
      ...unshownNote("untracked", hidden),
    ],
  };
}

/** Why git shows no lines of a change. */
function unshownKind({ isBinary, isCreate, isDelete, oldMode, newMode }: StructuredPatch): UnshownKind {
  if (isBinary) return "text";
  if (isCreate) return "empty";
  if (isDelete) return "emptied";
  return oldMode === newMode ? "text" : "permissions";
}

/** The patches with one letter for each byte: the files may have different encodings. */
function patchesOf(diff: Buffer): readonly StructuredPatch[] {
  // Of an empty text, parsePatch makes one patch without a name.
  return diff.length === 0 ? [] : parsePatch(diff.toString("latin1"));
}

async function decoded(top: string, patch: StructuredPatch): Promise<StructuredPatch> {
  const named = { ...patch, oldFileName: utf8(patch.oldFileName), newFileName: utf8(patch.newFileName) };
  const others = patch.hunks.flatMap(({ lines }) => lines.map(bytesOf)).filter((bytes) => !isUtf8(bytes));
  const encoding = others.length === 0 ? UTF_8 : await encodingOf(join(top, nameOf(named)), others);
  const lineOf = (line: string) => {
    const bytes = bytesOf(line);
    return isUtf8(bytes) ? bytes.toString("utf8") : decode(bytes, encoding).toWellFormed();
  };
  return { ...named, hunks: patch.hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map(lineOf) })) };
}

/** The encoding of lines that are not UTF-8: that of the present file, unless it was written in another one. */
async function encodingOf(file: string, lines: readonly Buffer[]): Promise<Encoding> {
  const present = (await presentText(file))?.encoding;
  if (present && present.name in LEGACY_ENCODINGS) return present;
  const found = await detectText(Buffer.from(lines.map((line) => line.toString("latin1")).join("\n"), "latin1"));
  return found === "binary" ? UTF_8 : found;
}

async function presentText(file: string): Promise<ReadableText | undefined> {
  const bytes = readSmallBytes(file, MAX_NEW_BYTES);
  return bytes && bytes !== "missing" ? readableText(bytes) : undefined;
}

function bytesOf(line: string): Buffer {
  return Buffer.from(line, "latin1");
}

function utf8(name: string | undefined): string | undefined {
  return name === undefined ? undefined : bytesOf(name).toString("utf8");
}

function changedFile(top: string, patch: StructuredPatch): PartedFile {
  const hunks = patch.hunks.map(hunkOf);
  const count = (kind: DiffLine["kind"]) => hunks.flatMap(({ lines }) => lines).filter((line) => line.kind === kind);
  return {
    kind: "diff",
    path: nameOf(patch),
    file: join(top, nameOf(patch)),
    isNew: patch.oldFileName === "/dev/null",
    ...(patch.newFileName === "/dev/null" && { isDeleted: true }),
    added: count("added").length,
    removed: count("removed").length,
    hunks,
    parts: patch.hunks.map(partOf),
  };
}

/** A line of the kind `\` says that the line before it has no line break. */
function partOf({ newStart, lines }: StructuredPatchHunk): FilePart {
  const text = (other: string) =>
    lines
      .map((line, at) => (line.startsWith(other) || line.startsWith("\\") ? "" : lineText(line, lines[at + 1])))
      .join("");
  return { before: text("+"), after: text("-"), line: newStart };
}

function lineText(line: string, next: string | undefined): string {
  return next?.startsWith("\\") ? line.slice(1) : `${line.slice(1)}\n`;
}

function nameOf({ oldFileName = "", newFileName = "" }: StructuredPatch): string {
  return (newFileName === "/dev/null" ? oldFileName : newFileName).replace(/^[ab]\//, "");
}

const KINDS: Readonly<Record<string, DiffLine["kind"]>> = { "+": "added", "-": "removed", " ": "same" };

/** Lines such as `\ No newline at end of file` are left out. */
function hunkOf({ oldStart, newStart, lines }: StructuredPatchHunk): DiffHunk {
  const texts = lines.flatMap((line) => {
    const kind = KINDS[line[0] ?? ""];
    return kind ? [{ kind, text: line.slice(1) }] : [];
  });
  return { oldStart, newStart, lines: texts };
}

async function newFile(top: string, name: string): Promise<readonly PartedFile[]> {
  const file = join(top, name);
  const text = (await presentText(file))?.text;
  if (text === undefined) return [];
  // An empty file has no lines, which is not the same as one empty line.
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const hunk = { oldStart: 0, newStart: 1, lines: lines.map((line) => ({ kind: "added", text: line }) as const) };
  const parts = [{ before: "", after: text, line: 1 }];
  const hunks = text === "" ? [] : [hunk];
  return [{ kind: "diff", path: name, file, isNew: true, added: lines.length, removed: 0, hunks, parts }];
}
