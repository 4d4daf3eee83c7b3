import { formatAgo } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { openApp } from "../../app/open-app.ts";
import { openSession } from "../../app/session/open-session.ts";
import { changedAmount, previewLines, rewoundLines } from "../../commands/rewind-lines.ts";
import type { RewindPoint, RewindScope, Rewinds } from "../../contracts/checkpoint.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { systemClock } from "../../platform/clock.ts";
import { printError, printProblem } from "../../platform/host.ts";
import { printLine } from "../../platform/standard-output.ts";

const MAX_PROMPT_COLUMNS = 100;

/** `to`: the number of a prompt (1 is the newest) or its id; without it, the prompts are listed. */
export type RewindAction = {
  readonly to?: string;
  readonly scope: RewindScope;
  readonly isDryRun: boolean;
  readonly json: boolean;
};
/** `folder`: the project's folder; absolute. `version`: of Quoll. */
type Opening = { readonly folder: string; readonly version: string };

/**
 * `quoll sessions rewind`: lists the prompts of a session, or goes back to the moment before one. The session is opened
 * as for a resume, without anything of the project that runs.
 * @returns the exit code.
 * @throws {UserFacingError} (as a rejection) the session is open, or has no such prompt.
 */
export async function rewindSession(action: RewindAction, sessionId: string, opening: Opening): Promise<number> {
  await using session = await openSession(
    openApp({ version: opening.version }),
    {
      cwd: opening.folder,
      answerer: "nobody",
      isSaved: true,
      isBare: true,
      settingSources: [],
      model: "offline",
      conversation: { kind: "saved", id: sessionId },
    },
    { startupWarning: printProblem },
  );
  const { rewinds } = session.commands.context;
  if (!rewinds) throw new UserFacingError("This session keeps no checkpoints.");
  return await (action.to === undefined ? list(action, rewinds) : goBack({ ...action, to: action.to }, rewinds));
}

async function list({ json }: RewindAction, rewinds: Rewinds): Promise<number> {
  const newest = (await rewinds.points(new AbortController().signal)).toReversed();
  if (json) {
    printLine(JSON.stringify(newest.map(pointJson), null, 2));
    return 0;
  }
  if (newest.length === 0) printError("quoll: There is no prompt to go back to.");
  for (const [at, point] of newest.entries()) {
    const changed = changedAmount(point.files);
    const detail = [...(changed === "" ? [] : [changed]), formatAgo(systemClock.now() - point.time)].join(" · ");
    printLine(`${String(at + 1).padStart(4)}  ${oneLine(point.text, MAX_PROMPT_COLUMNS)}  ${detail}`);
  }
  return 0;
}

function pointJson({ messageId, text, time, files, commands }: RewindPoint, at: number) {
  return { number: at + 1, messageId, text, time: new Date(time).toISOString(), files, commands };
}

async function goBack(
  { to, scope, isDryRun, json }: RewindAction & { readonly to: string },
  rewinds: Rewinds,
): Promise<number> {
  const { signal } = new AbortController();
  const { messageId, text } = pointNamed(to, await rewinds.points(signal));
  const about = { messageId, prompt: text, isDryRun };
  if (isDryRun) {
    const preview = await rewinds.preview({ messageId, scope }, signal);
    if (json) printLine(JSON.stringify({ ...preview, ...about }, null, 2));
    else printLines(previewed(text, scope, previewLines(preview, rewinds.shown)));
    return 0;
  }
  const done = await rewinds.rewind({ messageId, scope }, signal);
  if (json) printLine(JSON.stringify({ ...done, ...about }, null, 2));
  else
    printLines(rewoundLines(done, { scope, moment: `before "${oneLine(text, MAX_PROMPT_COLUMNS)}"` }, rewinds.shown));
  return 0;
}

function previewed(prompt: string, scope: RewindScope, lines: readonly string[]): readonly string[] {
  const what = { both: "files and conversation", files: "files", conversation: "the conversation" }[scope];
  const title = `Would go back in ${what} to before "${oneLine(prompt, MAX_PROMPT_COLUMNS)}".`;
  return [title, ...(lines.length > 0 || scope === "conversation" ? lines : ["No file was changed since."])];
}

/** @param wanted A number (1 is the newest) or the id of a prompt. @throws {UserFacingError} there is no such prompt. */
function pointNamed(wanted: string, points: readonly RewindPoint[]): RewindPoint {
  const at = /^\d{1,6}$/.test(wanted) ? points.length - Number(wanted) : -1;
  const found = points[at] ?? points.find(({ messageId }) => messageId === wanted);
  if (!found)
    throw new UserFacingError(`There is no prompt ${wanted}: \`quoll sessions rewind <session>\` lists them.`);
  return found;
}

function printLines(lines: readonly string[]): void {
  printLine(lines.join("\n"));
}
