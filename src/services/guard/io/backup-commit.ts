import { mkdirSync, readdirSync, readlinkSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { errorCode, ToolFailedError } from "../../../contracts/errors.ts";
import { randomHex } from "../../../platform/digest.ts";
import { loadFile } from "../../../platform/files/load-file.ts";
import { cQuoted, type Git, recordsOf } from "./run-git.ts";
import type { ChangedFile } from "./work-tree-state.ts";

/** A temporary branch of the import, reset before it ends, so that no reference is written. */
const INDEX_BRANCH = "refs/quoll/index";
const TREE_BRANCH = "refs/quoll/tree";
const INDEX_MARK = 1;
const TREE_MARK = 2;
const FIRST_FILE_MARK = 10;

type CommitRequest = {
  /** The reference to create. */
  readonly ref: string;
  readonly message: string;
  readonly files: readonly ChangedFile[];
  readonly deleted: readonly string[];
  /** Seconds since the epoch. */
  readonly time: number;
  /** The maximum size of one file. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
};

/** One name that differs between the index and HEAD. `object` is undefined for a deleted file. */
type Staged = { readonly path: string; readonly mode: string; readonly object: string | undefined };

/**
 * Commits the current work tree outside all branches: the given files as they are on disk (without filters or line-end
 * conversion), all others as in the index. The first parent is HEAD; the second, when staged changes exist, is the
 * index. All objects are written to a quarantine and moved into the repository at the end, then the reference is
 * created. Uses `git fast-import`, which reads no work tree: each file is read here, through the folder in which it was
 * found.
 * @throws {ToolFailedError} git failed; the abort reason when `signal` aborts. In that case, no object is left in the
 * repository.
 */
export async function makeBackupCommit(git: Git, request: CommitRequest): Promise<void> {
  const { signal } = request;
  const { top } = git.repository;
  const [head, objectsName] = await Promise.all([
    headCommit(git, signal),
    git.run({ args: ["rev-parse", "--git-path", "objects"], signal }),
  ]);
  const objects = resolve(top, firstLine(objectsName));
  const staged = await stagedChanges(git, head, signal);
  const quarantine = makeQuarantine(objects);
  try {
    const printed = await git.run({
      args: ["fast-import", "--quiet", "--done", "--date-format=raw", "--cat-blob-fd=1"],
      objectsFolder: quarantine.folder,
      alternateObjects: objects,
      signal,
      input: (write) => writeImport(write, top, { ...request, head, staged }),
    });
    const commit = firstLine(printed);
    if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new ToolFailedError(`git named no commit in ${top}.`);
    signal.throwIfAborted();
    quarantine.takeOver();
    await git.run({ args: ["update-ref", request.ref, commit, ""], signal });
  } finally {
    quarantine.discard();
  }
}

/** The current commit; undefined before the first one. */
export async function headCommit(git: Git, signal: AbortSignal): Promise<string | undefined> {
  const printed = await git.ask({ args: ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"], signal });
  return printed && firstLine(printed);
}

/** The staged changes: the index compared with HEAD, without reading the work tree. */
export async function stagedChanges(
  git: Git,
  head: string | undefined,
  signal: AbortSignal,
): Promise<readonly Staged[]> {
  if (head === undefined) {
    const listed = await git.run({ args: ["ls-files", "-z", "--stage"], signal });
    return recordsOf(listed).flatMap((record) => {
      const [, mode = "", object = "", stage, path = ""] = /^(\d+) ([0-9a-f]+) (\d)\t([\s\S]+)$/.exec(record) ?? [];
      return stage === "0" ? [{ path, mode, object }] : [];
    });
  }
  const args = [
    "diff-index",
    "--cached",
    "--raw",
    "-z",
    "--no-renames",
    "--no-abbrev",
    "--ignore-submodules=none",
    head,
  ];
  const parts = recordsOf(await git.run({ args, signal }));
  const staged: Staged[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode = "", , object = "", status = ""] = (parts[at] ?? "").slice(1).split(" ");
    const path = parts[at + 1] ?? "";
    if (status === "D") staged.push({ path, mode, object: undefined });
    // In an open conflict, the content of the work tree is used.
    else if (status !== "U" && !/^0+$/.test(object)) staged.push({ path, mode, object });
  }
  return staged;
}

type Import = CommitRequest & { readonly head: string | undefined; readonly staged: readonly Staged[] };
type Write = (bytes: string | Uint8Array) => Promise<void>;

/** The stream of git-fast-import(1). */
async function writeImport(write: Write, top: string, request: Import): Promise<void> {
  const { files, deleted, head, staged } = request;
  const written: { readonly path: string; readonly mode: string; readonly mark: number }[] = [];
  const gone = [...deleted];
  for (const [index, file] of files.entries()) {
    request.signal.throwIfAborted();
    const mark = FIRST_FILE_MARK + index;
    const bytes = await contentOf(join(top, file.path), file, request);
    if (bytes === undefined) gone.push(file.path);
    else {
      await write(`blob\nmark :${mark}\ndata ${bytes.length}\n`);
      await write(bytes);
      await write("\n");
      written.push({ ...file, mark });
    }
  }
  const stagedLines = [
    ...staged.filter(({ object }) => object === undefined).map(({ path }) => `D ${cQuoted(path)}\n`),
    ...staged.flatMap(({ path, mode, object }) =>
      object === undefined ? [] : [`M ${mode} ${object} ${cQuoted(path)}\n`],
    ),
  ];
  const hasStaged = head !== undefined && staged.length > 0;
  if (hasStaged) {
    await write(commitHeader(INDEX_BRANCH, INDEX_MARK, "What was staged.\n", request));
    await write(`from ${head}\n${stagedLines.join("")}\n`);
  }
  await write(commitHeader(TREE_BRANCH, TREE_MARK, request.message, request));
  if (head !== undefined) await write(`from ${head}\n`);
  if (hasStaged) await write(`merge :${INDEX_MARK}\n`);
  await write(stagedLines.join(""));
  await write(gone.map((path) => `D ${cQuoted(path)}\n`).join(""));
  await write(written.map(({ path, mode, mark }) => `M ${mode} :${mark} ${cQuoted(path)}\n`).join(""));
  await write(`\nget-mark :${TREE_MARK}\nreset ${TREE_BRANCH}\n\n`);
  if (hasStaged) await write(`reset ${INDEX_BRANCH}\n\n`);
  await write("done\n");
}

function commitHeader(branch: string, mark: number, message: string, { time }: Import): string {
  const size = Buffer.byteLength(message);
  return `commit ${branch}\nmark :${mark}\ncommitter Quoll <quoll@localhost> ${time} +0000\ndata ${size}\n${message}\n`;
}

/** The content of a file or the target of a link; undefined if it no longer exists. */
async function contentOf(
  path: string,
  { mode }: ChangedFile,
  { maxBytes, signal }: Import,
): Promise<Buffer | undefined> {
  try {
    if (mode === "120000") return readlinkSync(path, "buffer");
    return (await loadFile(path, maxBytes, signal)).bytes;
  } catch (error) {
    const cause = error instanceof ToolFailedError ? error.cause : error;
    if (errorCode(cause) === "ENOENT") return undefined;
    throw error;
  }
}

function firstLine(output: Buffer): string {
  return output.toString("utf8").split("\n", 1)[0] ?? "";
}

/** Git's own name prefix for such a folder: `git gc` removes a folder that a crash left (tmp-objdir.c). */
const PREFIX = "tmp_objdir-quoll-";

/** A temporary folder for new objects, which join the repository all at once or not at all. */
type Quarantine = {
  readonly folder: string;
  /** Moves the new objects into the repository. */
  takeOver(): void;
  /** Removes the folder with its content. Never throws. */
  discard(): void;
};

/** @param objects The repository's object folder: absolute. */
function makeQuarantine(objects: string): Quarantine {
  const folder = join(objects, `${PREFIX}${randomHex(8)}`);
  mkdirSync(folder, { mode: 0o700 });
  return {
    folder,
    takeOver: () => {
      for (const name of readdirSync(folder)) {
        const isPacks = name === "pack";
        if (!isPacks && !/^[0-9a-f]{2}$/.test(name)) continue;
        mkdirSync(join(objects, name), { recursive: true });
        // Git finds a pack through its index, so the index is moved last.
        const files = readdirSync(join(folder, name)).sort(
          (a, b) => Number(a.endsWith(".idx")) - Number(b.endsWith(".idx")),
        );
        for (const file of files) {
          if (isPacks && file.startsWith("tmp_")) continue;
          move(join(folder, name, file), join(objects, name, file));
        }
      }
    },
    discard: () => {
      try {
        rmSync(folder, { recursive: true, force: true });
      } catch {
        // `git gc` will.
      }
    },
  };
}

/** Objects are named by their content, so an existing object is identical. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== "EEXIST" && errorCode(error) !== "EPERM") throw error;
  }
}
