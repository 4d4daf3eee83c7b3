import { formatAgo, formatCount, formatUsd } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { NO_USAGE } from "../../contracts/message.ts";
import type { Entry } from "../../contracts/session.ts";
import { CACHE_TTL_MS, lastRequestOf } from "../../engine/cache-warmth.ts";
import { shortPath } from "../../platform/directories.ts";
import { cacheTtlMs } from "../cache-ttl.ts";
import { lazyFollowing } from "../worktree/lazy-following.ts";
import { lastWorktree, type MainWorktree } from "../worktree/wire-main-worktree.ts";
import { finishEarlierRewind } from "./checkpoints/open-checkpoints.ts";
import type { OpenedConversation } from "./open-conversation.ts";
import type { OpenedSession } from "./opened-session.ts";
import { systemHash } from "./settings/record-run-settings.ts";

/** As in `SessionPorts`. */
type Telling = { startupWarning(line: string): void; notifyRewind?(line: string): void };

/** The price of a smaller conversation is not mentioned: it is only cents. */
const MIN_TOKENS = 50_000;
/** The longest part of a line that names a worktree. */
const MAX_COLUMNS = 300;

/** Continues what an earlier process of the session has begun. */
export async function takeUp(
  session: OpenedSession,
  { startupWarning, notifyRewind = startupWarning }: Telling,
): Promise<void> {
  const followConversation = lazyFollowing(session.main);
  const [costs] = await Promise.all([resumeLines(session), noteResumedFolder(session)]);
  for (const line of [...costs, ...(await resumeWorktree(session))]) startupWarning(line);
  for (const line of await finishEarlierRewind(session, followConversation)) notifyRewind(line);
}

/**
 * The price of the next request of a resumed session whose system prompt has changed or whose prompt cache has expired.
 * @returns at most one line; none for an expired cache if the conversation has at most 50,000 tokens.
 */
async function resumeLines(session: OpenedSession): Promise<readonly string[]> {
  const { app, conversation, main, catalog, environment } = session;
  const last = lastRequestOf(conversation.restored);
  const { engine } = main;
  if (last === undefined || engine.conversation.messages.length === 0) return [];
  const { model, providerName } = engine.state;
  if (providerName === "offline") return [];
  const idleMs = app.clock.now() - last.sentAt;
  const tokens = engine.conversation.tokens.inputTokens(engine.system.length);
  const isCold = tokens > MIN_TOKENS && idleMs > (cacheTtlMs(environment.settings, providerName) ?? CACHE_TTL_MS);
  const isChanged = hasOtherPrompt(conversation.restored, engine.system);
  if (!isCold && !isChanged) return [];
  const why = isChanged
    ? "The system prompt differs from this session's last request (another output style, language, option or version of Quoll)"
    : `The last request was ${formatAgo(idleMs)}, so the prompt cache has expired`;
  const usd = await catalog.cost(model, { ...NO_USAGE, cacheWriteTokens: tokens });
  const size = `the next request sends about ${formatCount(tokens)} tokens without the cache (${formatUsd(usd, true)})`;
  return [`${why}: ${size}.${isCold ? " /compact makes the conversation smaller." : ""}`];
}

/** Sessions of older versions have no hash, so no change can be detected. */
function hasOtherPrompt(restored: OpenedConversation["restored"], system: string): boolean {
  const setup = restored?.entries.findLast((entry) => entry.kind === "setup");
  return setup?.systemHash !== undefined && setup.systemHash !== systemHash(system);
}

/**
 * Tells the model of a resumed conversation if the session now starts in another folder than before, or if its commands
 * had moved to another folder.
 */
function noteResumedFolder({ main, conversation: { restored } }: OpenedSession): void {
  const { engine, workspace } = main;
  const { cwd } = workspace;
  const folder = lastFolder(restored?.entries ?? []);
  if (folder === undefined || folder === cwd) return;
  const [now, before] = [cwd, folder].map((path) => JSON.stringify(path));
  engine.taskNews.addModelNote(
    "resumed-folder",
    `The session was resumed, and its working folder is ${now} again, no longer ${before}.`,
  );
}

/** The folder in which the last process of the session worked at its end: where it started, unless a call moved it. */
function lastFolder(entries: readonly Entry[]): string | undefined {
  for (const entry of entries.toReversed()) {
    const folder = folderOf(entry);
    if (folder !== undefined) return folder;
  }
  return undefined;
}

function folderOf(entry: Entry): string | undefined {
  switch (entry.kind) {
    case "session":
      return entry.cwd;
    case "setup":
      return entry.isStart ? entry.cwd : undefined;
    case "results": {
      const moves = entry.message.content.flatMap((block) =>
        block.type === "tool_result" ? (block.movedTo ?? []) : [],
      );
      return moves.at(-1);
    }
    default:
      return undefined;
  }
}

/**
 * Holds the worktree that the session was started in, and brings a resumed conversation back into the one that it had
 * entered.
 * @returns lines for the person.
 */
async function resumeWorktree(session: OpenedSession): Promise<readonly string[]> {
  const { worktree } = session.main;
  if (!worktree) return [];
  const others = await worktree.hold();
  const name = lastWorktree(session.conversation.restored);
  return [
    ...(others === undefined ? [] : [others]),
    ...(name === undefined ? [] : await resumed(name, worktree, session)),
  ];
}

/** @returns a line about where the conversation continues. */
async function resumed(
  name: string,
  worktree: MainWorktree,
  { main, environment }: OpenedSession,
): Promise<readonly string[]> {
  const why = await worktree.resume(name, new AbortController().signal);
  const { cwd } = main.workspace;
  if (why === undefined) return [`The conversation continues in the worktree ${oneLine(name, MAX_COLUMNS)}.`];
  main.engine.conversation.append({ kind: "worktree", optional: true });
  main.engine.taskNews.addModelNote("worktree", `${why} The working folder is ${cwd} now.`);
  return [`${oneLine(why, MAX_COLUMNS)} The conversation continues in ${shortPath(cwd, environment.own.home)}.`];
}
