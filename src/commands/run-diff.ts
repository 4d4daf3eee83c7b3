import type { RewindPoint } from "../contracts/checkpoint.ts";
import type { CommandContext } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type {
  ChangedFile,
  ChangeGroup,
  FilePart,
  GroupedFile,
  PartedFile,
  SessionChanges,
  TreeChanges,
} from "../contracts/session-changes.ts";
import { momentOf, pointNamed } from "./prompt-points.ts";
import { changedAmount, lineAmount } from "./rewind-lines.ts";

const SIGNS = { same: " ", added: "+", removed: "-" } as const;
/** `/diff 2 back 1f2e3d4c src/a.ts`: the words of the screen, then the id and the file of a hunk. */
const BACK = /^(?:(.*?)\s+)?back ([0-9a-f]{8}) (.+)$/;

type Group = { readonly title: string } & TreeChanges;

/** One change with its id, which names the change in a command. */
type Numbered = { readonly file: PartedFile; readonly part: FilePart; readonly id: string };

/**
 * Without an argument: the changes of the session, and the differences from the last commit. With a prompt's number: the
 * changes since before it; with `turn`: those of its turn alone; with `commit`: the differences from the last commit. A
 * file or folder limits each of them.
 */
export async function runDiff(argument: string, context: CommandContext, signal: AbortSignal): Promise<CommandResult> {
  const changes = await context.changes?.();
  if (!changes) throw new UserFacingError("`git diff` in a shell shows what differs from the last commit.");
  const [, shownBy, id, path] = BACK.exec(argument) ?? [];
  const source = (id === undefined ? argument : (shownBy ?? "")).trim();
  const { view, file } = await viewOf(source, changes, context, signal);
  if (id === undefined || path === undefined) {
    const nothing = file === "" ? "Nothing has changed." : `No change in ${file}.`;
    return nothingIn(view) ? { kind: "text", lines: [nothing] } : resultOf(view, source);
  }
  const said = await takenBack(view, { id, path }, changes, signal);
  const { view: left } = await viewOf(source, changes, context, signal);
  return { ...resultOf(left, source), said, ...(nothingIn(left) && { notes: [said, "No other change is left."] }) };
}

/** Takes one change back. @returns one line for the person. */
async function takenBack(
  groups: readonly Group[],
  { id, path }: { readonly id: string; readonly path: string },
  changes: SessionChanges,
  signal: AbortSignal,
): Promise<string> {
  const files = groups.flatMap((group) => group.files);
  const found = files.flatMap(numbered).find((one) => one.id === id && one.file.path === path);
  if (!found) return `Nothing was changed: ${path} has changed since it was shown.`;
  try {
    await changes.takeBack(found.file, found.part, signal);
  } catch (error) {
    if (error instanceof UserFacingError) return error.message;
    throw error;
  }
  return `Taken back: one change of ${path}. /redo brings it back.`;
}

function nothingIn(view: readonly Group[]): boolean {
  return view.every(({ files, notes }) => files.length + notes.length === 0);
}

async function viewOf(
  source: string,
  changes: SessionChanges,
  context: CommandContext,
  signal: AbortSignal,
): Promise<{ readonly view: readonly Group[]; readonly file: string }> {
  const { groups, file } = await groupsOf(source, changes, context, signal);
  if (file === "") return { view: groups, file };
  const limited = groups.map((group) => ({ ...group, files: filesAt(group.files, file), notes: [] }));
  return { view: limited.filter(({ files }) => files.length > 0), file };
}

/** `file`: the rest of the words, which limits the groups. */
async function groupsOf(source: string, changes: SessionChanges, context: CommandContext, signal: AbortSignal) {
  const [first = "", second = "", ...others] = source.split(/\s+/);
  const rest = [second, ...others].join(" ").trim();
  if (/^\d{1,6}$/.test(first)) {
    const { point } = await promptNamed(first, context, signal);
    const found = await changes.ofRange({ messageId: point.messageId, until: "now" }, signal);
    return { groups: [{ title: `Changed since ${momentOf(point).replace("before ", "")}`, ...found }], file: rest };
  }
  if (first === "turn") {
    const isNumbered = /^\d{1,6}$/.test(second);
    const { point } = await promptNamed(isNumbered ? second : "1", context, signal);
    const found = await changes.ofRange({ messageId: point.messageId, until: "turn" }, signal);
    const title = `Changed ${momentOf(point).replace("before ", "by ")}`;
    return { groups: [{ title, ...found }], file: isNumbered ? others.join(" ") : rest };
  }
  const isCommit = first === "commit";
  const own = isCommit ? [] : [{ title: "Changed in this session", ...(await changes.ofSession(signal)) }];
  const tree = await changes.ofTree(signal);
  if (isCommit && !tree) throw new UserFacingError("There is no commit to compare with: this folder is no repository.");
  const groups = [...own, ...(tree ? [{ title: "Against the last commit", ...tree }] : [])];
  return { groups, file: isCommit ? rest : source };
}

async function promptNamed(
  number: string,
  { rewinds }: CommandContext,
  signal: AbortSignal,
): Promise<{ readonly point: RewindPoint }> {
  const points = (await rewinds?.points(signal)) ?? [];
  if (points.length === 0) throw new UserFacingError("There is no prompt yet.");
  return { point: pointNamed(number, points) };
}

/** @param wanted A file or folder as typed: relative, or absolute. */
function filesAt(files: readonly PartedFile[], wanted: string): readonly PartedFile[] {
  const name = wanted.replace(/^\.\//, "").replace(/(?<=.)\/+$/, "");
  const isAt = (path: string) => path === name || path.startsWith(`${name}/`) || path.endsWith(`/${name}`);
  return files.filter(({ path, file }) => name === "." || isAt(path) || isAt(file));
}

function resultOf(view: readonly Group[], source: string): Extract<CommandResult, { kind: "changes" }> {
  const groups = view.filter(({ files }) => files.length > 0);
  const notes = [...new Set(view.flatMap((group) => group.notes))];
  const shown = groups.map((group): ChangeGroup => {
    return {
      title: `${group.title}: ${changedAmount(group.files)}`,
      files: group.files.map((file) => asShown(file, source)),
    };
  });
  return { kind: "changes", title: "Changes", groups: shown, notes, lines: [...shown.flatMap(groupLines), ...notes] };
}

function asShown(parted: PartedFile, source: string): GroupedFile {
  const { kind, path, isNew, added, removed, hunks, isDeleted, parts } = parted;
  const typed = ["/diff", ...(source === "" ? [] : [source]), "back"].join(" ");
  return {
    kind,
    path,
    isNew,
    added,
    removed,
    hunks,
    ...(isDeleted && { isDeleted }),
    ...(parts && { takeBack: numbered(parted).map(({ id }) => `${typed} ${id} ${path}`) }),
  };
}

function numbered(file: PartedFile): readonly Numbered[] {
  return (file.parts ?? []).map((part) => ({ file, part, id: idOf(file, part) }));
}

/** FNV-1a of the file and the change, 8 hexadecimal digits: another content of the file has another id. */
function idOf({ file }: PartedFile, { before, after, line }: FilePart): string {
  let hash = 0x811c9dc5;
  for (const char of [file, line, before, after].join("\0"))
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

function groupLines({ title, files }: ChangeGroup): readonly string[] {
  return [title, ...files.flatMap(fileLines), ""];
}

function fileLines({ path, hunks, ...lines }: ChangedFile): readonly string[] {
  const body = hunks.flatMap(({ oldStart, newStart, lines: own }) => [
    `@@ -${oldStart} +${newStart} @@`,
    ...own.map(({ kind, text }) => `${SIGNS[kind]}${text}`),
  ]);
  return [`${path}${lineAmount(lines)}`, ...body];
}
