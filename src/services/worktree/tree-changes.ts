import { join } from "node:path";
import { plural } from "@quoll/terminal-text/plural";
import { parsePatch, type StructuredPatch, type StructuredPatchHunk } from "diff";
import type { DiffHunk, DiffLine } from "../../contracts/display.ts";
import type { FilePart, PartedFile, TreeChanges } from "../../contracts/session-changes.ts";
import { readSmallFile } from "../../platform/read-small-file.ts";
import type { WorktreeGit } from "./io/worktree-git.ts";

/** Untracked files whose text is shown, and their size. */
const MAX_NEW_FILES = 200;
const MAX_NEW_BYTES = 256 * 1024;
const MAX_NAMED = 5;

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
  const diff = await git.run([...DIFF, base, "--"], signal);
  // Of an empty text, parsePatch makes one patch without a name.
  const patches = diff === "" ? [] : parsePatch(diff);
  const texts = patches.filter(({ hunks }) => hunks.length > 0);
  const untracked = (await git.run(["ls-files", "--others", "--exclude-standard", "-z"], signal))
    .split("\0")
    .filter((name) => name !== "");
  const shown = untracked.slice(0, MAX_NEW_FILES).flatMap((name) => newFile(top, name));
  const hidden = untracked.filter((name) => !shown.some(({ path }) => path === name));
  const others = patches.filter(({ hunks }) => hunks.length === 0).map(nameOf);
  return {
    files: [...texts.map((patch) => changedFile(top, patch)), ...shown],
    notes: [...note("without a text to compare", others), ...note("untracked, not shown", hidden)],
  };
}

function note(what: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const more = names.length - MAX_NAMED;
  const list = [...names.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(", ");
  return [`${plural(names.length, "file")} ${what}: ${list}`];
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

function newFile(top: string, name: string): readonly PartedFile[] {
  const file = join(top, name);
  const text = readSmallFile(file, MAX_NEW_BYTES);
  if (text === undefined || text.includes("\0")) return [];
  const lines = text.replace(/\n$/, "").split("\n");
  const hunk = { oldStart: 0, newStart: 1, lines: lines.map((line) => ({ kind: "added", text: line }) as const) };
  const parts = [{ before: "", after: text, line: 1 }];
  return [{ kind: "diff", path: name, file, isNew: true, added: lines.length, removed: 0, hunks: [hunk], parts }];
}
