import { formatAgo } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import type { SavedState } from "../contracts/backup.ts";
import type { Backups } from "../contracts/checkpoint.ts";
import type { CommandContext } from "../contracts/command.ts";
import type { Choice, CommandResult } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { previewLines, restoredLines } from "./rewind-lines.ts";

const MAX_CAUSE_COLUMNS = 100;
const MAX_PATH_COLUMNS = 200;
/** A list in plain lines is limited to this number, and the paths beside a backup too. */
const MOST_LINES = 20;
const REPLACE = "replace";
const RESTORE = "restore";

/**
 * `/rewind backups` lists the backups that were made before commands; `/rewind backup <id>` shows what a restore would
 * do; with `restore` it restores and leaves files that changed since, with `replace` it replaces these too.
 */
export async function runBackups(
  words: readonly string[],
  { backups, now }: CommandContext,
  signal: AbortSignal,
): Promise<CommandResult> {
  if (!backups) throw new UserFacingError("This session has no backups to restore.");
  const [id, verb] = words;
  if (id === undefined) return listOf(await backups.list(signal), backups, now());
  const preview = await backups.preview(id, signal);
  const lines = previewLines(preview, backups.shown);
  const { restores, deletes, conflicts } = preview;
  if (verb === undefined) {
    const typed = `/rewind backup ${id}`;
    const count = restores.length + deletes.length;
    const choices: readonly Choice[] = [
      ...(count > 0 ? [{ label: "Restore", detail: plural(count, "file"), input: `${typed} ${RESTORE}` }] : []),
      ...(conflicts.length > 0
        ? [
            {
              label: "Restore, and replace files that changed since",
              detail: plural(conflicts.length, "conflict"),
              input: `${typed} ${REPLACE}`,
            },
          ]
        : []),
    ];
    if (choices.length === 0) return { kind: "text", lines: [...lines, "No file had to change."] };
    const usage = `\`${typed} ${RESTORE}\` restores; \`${REPLACE}\` also replaces files that changed since.`;
    return {
      kind: "choose",
      title: `Backup ${id}`,
      back: "/rewind backups",
      choices,
      lines: [...lines, usage],
      before: lines,
    };
  }
  if (verb !== RESTORE && verb !== REPLACE)
    throw new UserFacingError(`/rewind backup <id> takes ${RESTORE} or ${REPLACE}, not ${verb}.`);
  const taken = verb === REPLACE ? conflicts : [];
  const choices = Object.fromEntries(taken.map(({ path }) => [path, "checkpoint" as const]));
  const done = await backups.restore(id, choices, signal);
  return { kind: "text", lines: restoredLines(done, { id, redo: "/redo" }, backups.shown) };
}

function listOf(states: readonly SavedState[], { shown }: Backups, now: number): CommandResult {
  if (states.length === 0)
    return { kind: "text", lines: ["There is no backup: none of this project's commands needed one."] };
  const choices: readonly Choice[] = states.map(({ id, time, cause, paths }) => ({
    label: oneLine(cause === "" ? id : cause, MAX_CAUSE_COLUMNS),
    detail: [plural(paths.length, "path"), formatAgo(now - time)].join(" · "),
    input: `/rewind backup ${id}`,
    about: paths.slice(0, MOST_LINES).map((path) => oneLine(shown(path), MAX_PATH_COLUMNS)),
  }));
  const listed = states
    .slice(0, MOST_LINES)
    .map(({ id }, at) => `  ${id}  ${choices[at]?.label ?? ""}  ${choices[at]?.detail ?? ""}`);
  const left = states.length - listed.length;
  return {
    kind: "choose",
    title: "Backups that were made before commands",
    back: "/rewind",
    choices,
    lines: [
      ...listed,
      ...(left > 0 ? [`  … ${plural(left, "older backup")}`] : []),
      "`/rewind backup <id>` shows what a restore would do.",
    ],
  };
}
