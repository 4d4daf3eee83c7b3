import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { errorCode, ToolFailedError } from "../../../contracts/errors.ts";
import { loadFile } from "../../../platform/files/load-file.ts";
import { cQuoted, type Git, recordsOf } from "./run-git.ts";
import type { ChangedFile } from "./work-tree-state.ts";

const INDEX_MARK = 1;
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
type StagedChanges = { readonly hasHead: boolean; readonly staged: readonly Staged[] };

/**
 * Commits the current work tree outside all branches: the given files as they are on disk (without filters or line-end
 * conversion), all others as in the index. The first parent is HEAD; the second, when staged changes exist, is the
 * index. Uses `git fast-import`, which reads no work tree: each file is read here, through the folder in which it was
 * found. Git creates the reference last; objects that an abort leaves without one are removed by its `gc`.
 * @throws {ToolFailedError} git failed; the abort reason when `signal` aborts.
 */
export async function makeBackupCommit(git: Git, request: CommitRequest): Promise<void> {
  const { signal } = request;
  const index = await stagedChanges(git, signal);
  await git.run({
    args: ["fast-import", "--quiet", "--done", "--date-format=raw"],
    signal,
    input: (write) => writeImport(write, git.repository.top, { ...request, ...index }),
  });
}

/** The current commit; undefined before the first one. */
export async function headCommit(git: Git, signal: AbortSignal): Promise<string | undefined> {
  const printed = await git.ask({ args: ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"], signal });
  return printed && firstLine(printed);
}

/** The staged changes: the index compared with HEAD, without reading the work tree. */
export async function stagedChanges(git: Git, signal: AbortSignal): Promise<StagedChanges> {
  const flags = ["--cached", "--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=none"];
  const printed = await git.ask({ args: ["diff-index", ...flags, "HEAD", "--"], signal });
  if (printed === undefined) {
    // There is no commit yet, or it is damaged: then the whole index counts as staged.
    const listed = await git.run({ args: ["ls-files", "-z", "--stage"], signal });
    const staged = recordsOf(listed).flatMap((record) => {
      const [, mode = "", object = "", stage, path = ""] = /^(\d+) ([0-9a-f]+) (\d)\t([\s\S]+)$/.exec(record) ?? [];
      return stage === "0" ? [{ path, mode, object }] : [];
    });
    return { hasHead: false, staged };
  }
  const parts = recordsOf(printed);
  const staged: Staged[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode = "", , object = "", status = ""] = (parts[at] ?? "").slice(1).split(" ");
    const path = parts[at + 1] ?? "";
    if (status === "D") staged.push({ path, mode, object: undefined });
    // In an open conflict, the content of the work tree is used.
    else if (status !== "U" && !/^0+$/.test(object)) staged.push({ path, mode, object });
  }
  return { hasHead: true, staged };
}

type Import = CommitRequest & StagedChanges;
type Write = (bytes: string | Uint8Array) => Promise<void>;

/** The stream of git-fast-import(1). */
async function writeImport(write: Write, top: string, request: Import): Promise<void> {
  const { files, deleted, hasHead, staged } = request;
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
  const hasStaged = hasHead && staged.length > 0;
  const fromHead = hasHead ? "from HEAD^0\n" : "";
  if (hasStaged) {
    await write(commitHeader("What was staged.\n", request, INDEX_MARK));
    await write(`${fromHead}${stagedLines.join("")}\n`);
  }
  await write(`${commitHeader(request.message, request)}${fromHead}${hasStaged ? `merge :${INDEX_MARK}\n` : ""}`);
  await write(stagedLines.join(""));
  await write(gone.map((path) => `D ${cQuoted(path)}\n`).join(""));
  await write(written.map(({ path, mode, mark }) => `M ${mode} :${mark} ${cQuoted(path)}\n`).join(""));
  await write("\ndone\n");
}

function commitHeader(message: string, { ref, time }: Import, mark?: number): string {
  const marked = mark === undefined ? "" : `mark :${mark}\n`;
  const size = Buffer.byteLength(message);
  return `commit ${ref}\n${marked}committer Quoll <quoll@localhost> ${time} +0000\ndata ${size}\n${message}\n`;
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
