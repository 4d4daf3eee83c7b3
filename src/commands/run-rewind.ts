import { formatAgo } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import type {
  ConflictChoice,
  RewindConflict,
  RewindFile,
  RewindPoint,
  RewindPreview,
  RewindScope,
  Rewinds,
} from "../contracts/checkpoint.ts";
import type { CommandContext } from "../contracts/command.ts";
import type { Choice, CommandResult, MarkRow } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { ChangeGroup } from "../contracts/session-changes.ts";
import { momentOf, pointNamed, titleOf } from "./prompt-points.ts";
import { changedAmount, fileRow, isEmptyPreview, previewLines, redoneLines, rewoundLines } from "./rewind-lines.ts";

const MAX_PROMPT_COLUMNS = 200;
/** A list in plain lines is limited to this number. */
const MOST_LINES = 20;
const SCOPES: readonly RewindScope[] = ["both", "files", "conversation"];
/** The scopes of a rewind in which conflicts can be decided. */
const DECISIONS: readonly RewindScope[] = ["both", "files"];
const DECIDED: Readonly<Record<RewindScope, string>> = {
  both: "files and conversation",
  files: "files only",
  conversation: "conversation only",
};
/** The most commands beside a prompt in the list. */
const MOST_COMMANDS = 3;
const DIFF = "diff";
const CONFLICTS = "conflicts";
/** The list of scopes, without the preview that was printed before. */
const AGAIN = "again";
/** The marks of the list of conflicts, and the choices that they make. */
const MARKS: Readonly<Record<string, ConflictChoice>> = { keep: "mine", restore: "checkpoint" };

/**
 * Without an argument: lists the prompts. With a prompt's number (1 is the newest) or id: shows what a rewind to the
 * moment before it would do. With a scope too: goes back. `backups` lists the backups that were made before commands.
 */
export async function runRewind(
  argument: string,
  context: CommandContext,
  signal: AbortSignal,
): Promise<CommandResult> {
  const rewinds = rewindsOf(context);
  const [wanted, verb, ...rest] = argument.split(/\s+/).filter((word) => word !== "");
  if (wanted === "backups" || wanted === "backup") {
    const { runBackups } = await import("./run-backups.ts");
    return runBackups(verb === undefined ? [] : [verb, ...rest], context, signal);
  }
  const points = await rewinds.points(signal);
  if (points.length === 0) return { kind: "text", lines: ["There is no prompt to go back to yet."] };
  if (wanted === undefined) return listOf(points, rewinds, context.now());
  const point = pointNamed(wanted, points);
  const typed = `/rewind ${wanted}`;
  if (verb === undefined) return choiceOf({ point, typed }, rewinds, signal);
  if (verb === AGAIN) return withoutPreview(await choiceOf({ point, typed }, rewinds, signal));
  if (verb === DIFF) return differences({ point, typed }, rewinds, signal);
  if (verb === CONFLICTS) return conflictsOf({ point, typed, scope: rest[0] ?? "both" }, rewinds, signal);
  const scope = SCOPES.find((one) => one === verb);
  if (!scope) throw new UserFacingError(`/rewind goes back in ${SCOPES.join(", ")}, not in ${verb}.`);
  const choices = await choicesOf(rest, point, rewinds, signal);
  const result = await rewinds.rewind({ messageId: point.messageId, scope, choices }, signal);
  const { prompt } = result;
  return {
    kind: "text",
    lines: rewoundLines(result, { scope, moment: momentOf(point) }, rewinds.shown),
    ...(prompt !== undefined && { draft: prompt }),
  };
}

/** Takes the newest rewind back. */
export async function runRedo(context: CommandContext, signal: AbortSignal): Promise<CommandResult> {
  const rewinds = rewindsOf(context);
  const result = await rewinds.redo(undefined, signal);
  return { kind: "text", lines: redoneLines(result, rewinds.shown) };
}

function rewindsOf({ rewinds }: CommandContext): Rewinds {
  if (!rewinds) throw new UserFacingError("This session has no conversation that can go back.");
  return rewinds;
}

function listOf(points: readonly RewindPoint[], { shown }: Rewinds, now: number): CommandResult {
  const newest = points.toReversed();
  const rows = newest.map((point) => {
    const text = oneLine(point.text, MAX_PROMPT_COLUMNS);
    const changed = changedAmount(point.files);
    return { point, text, detail: [...(changed === "" ? [] : [changed]), formatAgo(now - point.time)].join(" · ") };
  });
  const width = String(rows.length).length;
  const choices: readonly Choice[] = rows.map(({ point, text, detail }, at) => ({
    // The screen drops blanks before a label.
    label: `${String(at + 1).padEnd(width)}  ${text}`,
    detail,
    input: `/rewind ${at + 1}`,
    about: [...commandLines(point.commands), ...point.files.map((file) => fileRow(file, shown))],
  }));
  const listed = rows.slice(0, MOST_LINES).map(({ text, detail }, at) => `  ${at + 1}  ${text}  ${detail}`);
  const left = rows.length - listed.length;
  return {
    kind: "choose",
    title: "Go back to the moment before …",
    choices,
    lines: [
      ...listed,
      ...(left > 0 ? [`  … ${plural(left, "older prompt")}`] : []),
      "`/rewind <number> both` restores files and conversation; `files` or `conversation` restores one of them.",
    ],
  };
}

/** The commands come first: each stands for several files. */
function commandLines(commands: readonly string[]): readonly string[] {
  const left = commands.length - MOST_COMMANDS;
  return [
    ...commands.slice(0, MOST_COMMANDS).map((line) => `$ ${oneLine(line, MAX_PROMPT_COLUMNS)}`),
    ...(left > 0 ? [`… ${plural(left, "more command")}`] : []),
  ];
}

/** `typed`: the command that names the point. */
type Typed = { readonly point: RewindPoint; readonly typed: string };

async function choiceOf({ point, typed }: Typed, rewinds: Rewinds, signal: AbortSignal): Promise<CommandResult> {
  const title = titleOf(point);
  const talk = { label: "Conversation only", detail: "the files stay as they are", input: `${typed} conversation` };
  const preview = await previewOf(point, rewinds, signal);
  if (typeof preview === "string" || isEmptyPreview(preview)) {
    const why = typeof preview === "string" ? preview : "No file was changed since.";
    return { kind: "choose", title, back: "/rewind", choices: [talk], lines: [why, choiceLine(typed)], before: [why] };
  }
  const { restores, deletes, folders, conflicts } = preview;
  const count = conflicts.length;
  const hasDifferences = restores.length + deletes.length + count > 0;
  const files = [
    ...(restores.length > 0 ? [`restores ${restores.length}`] : []),
    ...(deletes.length > 0 ? [`deletes ${deletes.length}`] : []),
    ...(folders ? [plural(folders.restored.length + folders.deleted.length, "empty folder")] : []),
    ...(count > 0 ? [`leaves ${plural(count, "conflict")}`] : []),
  ].join(", ");
  const choices: readonly Choice[] = [
    { label: "Files and conversation", detail: files, input: `${typed} both` },
    talk,
    { label: "Files only", detail: files, input: `${typed} files` },
    ...(count > 0 ? DECISIONS.map((scope) => decisionOf(scope, count, typed)) : []),
    ...(hasDifferences ? [{ label: "Show the differences", detail: "", input: `${typed} ${DIFF}` }] : []),
  ];
  const lines = previewLines(preview, rewinds.shown);
  return { kind: "choose", title, back: "/rewind", choices, lines: [...lines, choiceLine(typed)], before: lines };
}

function decisionOf(scope: RewindScope, count: number, typed: string): Choice {
  const detail = `${plural(count, "file")}; then ${DECIDED[scope]}`;
  return { label: "Decide about each conflict", detail, input: `${typed} ${CONFLICTS} ${scope}` };
}

function withoutPreview(result: CommandResult): CommandResult {
  return result.kind === "choose" ? { ...result, before: [] } : result;
}

function choiceLine(typed: string): string {
  return `\`${typed} both\` goes back; \`files\` or \`conversation\` restores one of them.`;
}

/** @returns one line if the files can't go back. */
async function previewOf(point: RewindPoint, rewinds: Rewinds, signal: AbortSignal): Promise<RewindPreview | string> {
  try {
    return await rewinds.preview(filesOf(point), signal);
  } catch (error) {
    if (error instanceof UserFacingError) return error.message;
    throw error;
  }
}

function filesOf({ messageId }: RewindPoint) {
  return { messageId, scope: "files" } as const;
}

async function differences({ point, typed }: Typed, rewinds: Rewinds, signal: AbortSignal): Promise<CommandResult> {
  const { restores, deletes, conflicts } = await rewinds.preview(filesOf(point), signal);
  const notes: string[] = [];
  const group = async (title: string, files: readonly RewindFile[]): Promise<ChangeGroup> => {
    const found = await Promise.all(files.map(({ path }) => rewinds.diffOf(point.messageId, path, signal)));
    notes.push(...found.filter((one) => typeof one === "string"));
    const shown = found.flatMap((one, at) =>
      typeof one === "string" ? [] : [{ ...one, ...(files[at]?.status === "deleted" && { isDeleted: true as const }) }],
    );
    return { title, files: shown };
  };
  const groups = [
    await group(`Going back changes ${plural(restores.length + deletes.length, "file")}`, [...restores, ...deletes]),
    await group("In conflict: your file stays unless you choose the checkpoint's", conflicts),
  ].filter(({ files }) => files.length > 0);
  const lines = [...previewLines({ restores, deletes, conflicts }, rewinds.shown), ...notes];
  return { kind: "changes", title: titleOf(point), groups, notes, lines, back: `${typed} ${AGAIN}` };
}

/** Each conflict is a row; the marks become the arguments of the rewind. */
async function conflictsOf(
  { point, typed, scope: word }: Typed & { readonly scope: string },
  rewinds: Rewinds,
  signal: AbortSignal,
): Promise<CommandResult> {
  const scope = DECISIONS.find((one) => one === word);
  if (!scope) throw new UserFacingError(`Conflicts are decided for ${DECISIONS.join(", ")}, not for ${word}.`);
  const { conflicts } = await rewinds.preview(filesOf(point), signal);
  if (conflicts.length === 0) return choiceOf({ point, typed }, rewinds, signal);
  const rows: readonly MarkRow[] = conflicts.map((conflict, at) => ({
    id: String(at + 1),
    line: `    ${oneLine(`${fileRow(conflict, rewinds.shown)}: ${conflict.reason}`, 75)}`,
    keys: { k: "keep", r: "restore" },
  }));
  return {
    kind: "mark",
    title: "Conflicts: k keeps your file, r restores the checkpoint's",
    lines: [`Files without a mark stay as they are. Enter goes back: ${DECIDED[scope]}.`],
    rows,
    input: `${typed} ${scope}`,
    accepts: "goes back",
    needsNoMark: true,
    back: `${typed} ${AGAIN}`,
  };
}

/** @param words `restore 2 keep 1 3`: the numbers of conflicts, as listed. `restore all` is possible. */
async function choicesOf(
  words: readonly string[],
  point: RewindPoint,
  rewinds: Rewinds,
  signal: AbortSignal,
): Promise<Readonly<Record<string, ConflictChoice>>> {
  if (words.length === 0) return {};
  const { conflicts } = await rewinds.preview(filesOf(point), signal);
  const choices = new Map<string, ConflictChoice>();
  let choice: ConflictChoice = "mine";
  for (const word of words) {
    const mark = MARKS[word];
    if (mark) choice = mark;
    else for (const { path } of conflictsNamed(word, conflicts)) choices.set(path, choice);
  }
  return Object.fromEntries(choices);
}

function conflictsNamed(word: string, conflicts: readonly RewindConflict[]): readonly RewindConflict[] {
  if (word === "all") return conflicts;
  const found = /^\d{1,6}$/.test(word) ? conflicts[Number(word) - 1] : undefined;
  if (!found) throw new UserFacingError(`There is no conflict ${word}: \`/rewind <prompt>\` lists them.`);
  return [found];
}
