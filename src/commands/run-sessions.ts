import type { CommandContext } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { SessionLabel, SessionSummary } from "../contracts/session.ts";
import { sessionList } from "./session-list.ts";

const FIELD = "name";
const MARKS: Readonly<Record<string, SessionLabel>> = {
  pin: { isPinned: true },
  unpin: { isPinned: false },
  archive: { isArchived: true },
  unarchive: { isArchived: false },
};
const DONE: Readonly<Record<string, string>> = {
  pin: "Pinned",
  unpin: "Unpinned",
  archive: "Archived",
  unarchive: "Back from the archive:",
};
const USAGE =
  "`/sessions` lists sessions; with `pin`, `unpin`, `archive`, `unarchive`, `rename` or `delete` and an id it changes one, `/sessions undo` brings back the one deleted last, `/sessions all` lists those of all projects.";

/** Lists saved sessions, or changes one as the keys of the list do. */
export async function runSessions(argument: string, context: CommandContext): Promise<CommandResult> {
  const [verb = "", id = ""] = argument.trim().split(/\s+/, 2);
  const rest = argument.trim().split(/\s+/).slice(2).join(" ");
  if (verb === "") return sessionList(context);
  if (verb === "all") return sessionList(context, { isOfAll: true });
  if (verb === "undo") return undo(context);
  const session = await sessionOf(id, context);
  if (verb === "rename") return rest === "" ? renameForm(session, context) : rename(session, rest, context);
  const mark = Object.hasOwn(MARKS, verb) ? MARKS[verb] : undefined;
  if (verb !== "delete" && !mark) throw new UserFacingError(USAGE);
  const before = await said(() => (mark ? setMark(verb, mark, session, context) : remove(session, context)));
  return sessionList(context, { before: [before] });
}

/** The line about a change. If the change was refused, the list stays open below the reason. */
async function said(change: () => Promise<string>): Promise<string> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof UserFacingError) return error.message;
    throw error;
  }
}

async function setMark(
  verb: string,
  mark: SessionLabel,
  { id, title }: SessionSummary,
  { sessions }: CommandContext,
): Promise<string> {
  await sessions.label?.(id, mark);
  return `${DONE[verb]} "${title}".`;
}

/** @throws {UserFacingError} (as a rejection) there is no such session. */
async function sessionOf(id: string, { sessions }: CommandContext): Promise<SessionSummary> {
  const found = id === "" ? undefined : (await sessions.list()).find((one) => one.id === id);
  if (!found) throw new UserFacingError(id === "" ? USAGE : `This project has no session ${id}.`);
  return found;
}

function renameForm(session: SessionSummary, context: CommandContext): CommandResult {
  return {
    kind: "form",
    title: "Name of the session",
    fields: [{ name: FIELD, label: FIELD, isOptional: true, value: session.isNamed ? session.title : "" }],
    lines: [`\`/sessions rename ${session.id} <name>\` names the session.`],
    back: "/sessions",
    submit: (values) => rename(session, values[FIELD] ?? "", context),
  };
}

async function rename({ id }: SessionSummary, name: string, context: CommandContext): Promise<CommandResult> {
  const line = await said(async () => {
    await context.sessions.label?.(id, { name });
    return name.trim() === "" ? "The session has no name." : `Named "${name.trim()}".`;
  });
  return sessionList(context, { before: [line] });
}

/** @throws {UserFacingError} (as a rejection) the session stays. */
async function remove({ id, title }: SessionSummary, { sessions }: CommandContext): Promise<string> {
  if (!sessions.remove) throw new UserFacingError("The sessions of this program can't be deleted.");
  await sessions.remove(id);
  return `Deleted "${title}". ctrl+u in the list, or \`/sessions undo\`, brings it back.`;
}

async function undo(context: CommandContext): Promise<CommandResult> {
  const id = await context.sessions.undoRemove?.();
  if (id === undefined) throw new UserFacingError("There is no deleted session to bring back.");
  const found = (await context.sessions.list()).find((one) => one.id === id);
  return sessionList(context, { before: [`Brought back "${found?.title ?? id}".`] });
}
