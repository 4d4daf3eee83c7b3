import { resolve } from "node:path";
import { UserFacingError } from "../../contracts/errors.ts";
import type { ConversationChoice, ProjectConfig, SessionConfig } from "../../contracts/session-config.ts";
import type { PolicyOptions, SessionOptions } from "../invocation.ts";

type FactName = "answerer" | "systemPrompt" | "outputSchema" | "agents" | "mcp" | "isOneTurn";

/** The session options that do not come from the command line alone. */
export type SessionFacts = Pick<SessionConfig, FactName> & {
  /** The folder in which Quoll was started; absolute. */
  readonly startedIn: string;
};

/**
 * Translates the options of the command line into the configuration of a session.
 * @throws {UserFacingError} (exit 2) the options contradict each other.
 */
export function sessionConfigOf(options: SessionOptions, { startedIn, ...wishes }: SessionFacts): SessionConfig {
  const {
    sessionPersistence: isSaved,
    fallbackModel,
    effort,
    maxTurns,
    tools,
    bare,
    inputFormat,
    outputFormat,
  } = options;
  const thinking = options.thinking === false ? false : (options.maxThinkingTokens ?? options.thinking);
  return {
    ...projectConfigOf(options, startedIn),
    ...(options.safeMode ? safeWishes(wishes) : wishes),
    conversation: conversationOf(options),
    ...(options.name !== undefined && { name: nameOf(options.name, isSaved) }),
    isSaved,
    ...(fallbackModel && { fallbackModels: fallbackModel }),
    ...(options.agent !== undefined && !options.safeMode && { agent: options.agent }),
    ...(effort !== undefined && { effort }),
    ...(thinking !== undefined && { thinking }),
    ...(maxTurns !== undefined && { maxSteps: maxTurns }),
    ...(tools && { tools }),
    ...(inputFormat === "stream-json" && { skipsUnknownTools: true }),
    ...(bare && { isBare: true }),
    ...(options.safeMode && SAFE_MODE),
    ...(options.debug && { debug: options.debug }),
    ...(outputFormat === "stream-json" && { noticesAsEvents: true }),
  };
}

const SAFE_MODE = { isBare: true, isSafe: true } as const;

/** Safe mode leaves out what the command line adds to Quoll, except for servers inside the program that drives it. */
function safeWishes({ agents: _, mcp, ...kept }: Omit<SessionFacts, "startedIn">): Omit<SessionFacts, "startedIn"> {
  return { ...kept, ...(mcp && { mcp: { ...mcp, configs: [] } }) };
}

type FolderOptions = PolicyOptions & Pick<SessionOptions, "model" | "maxBudgetUsd" | "settingSources" | "pluginDir">;

/** The part that determines the project and its rules. */
export function projectConfigOf(options: FolderOptions, startedIn: string): ProjectConfig {
  const { settings, settingSources, trust, addDir, pluginDir, model, maxBudgetUsd, allowedTools, disallowedTools } =
    options;
  const permissionMode = options.dangerouslySkipPermissions ? "bypassPermissions" : options.permissionMode;
  return {
    cwd: resolve(startedIn, options.cwd ?? "."),
    ...(settings !== undefined && { settings }),
    ...(settingSources && { settingSources }),
    ...(trust && { isTrusted: true }),
    ...(addDir && { additionalDirectories: addDir }),
    ...(pluginDir && { pluginDirs: pluginDir.map((folder) => resolve(startedIn, folder)) }),
    ...(model !== undefined && { model }),
    ...(maxBudgetUsd !== undefined && { maxBudgetUsd }),
    ...(permissionMode && { permissionMode }),
    ...(allowedTools && { allow: allowedTools }),
    ...(disallowedTools && { deny: disallowedTools }),
    ...(options.allowSandboxed && { allowSandboxed: true }),
  };
}

type ConversationOptions = Pick<SessionOptions, "continue" | "resume" | "forkSession" | "sessionId">;

function nameOf(name: string, isSaved: boolean): string {
  if (!isSaved)
    throw new UserFacingError("--name needs a session that is saved: leave out --no-session-persistence.", 2);
  if (name.trim() === "") throw new UserFacingError("--name needs a name.", 2);
  return name;
}

function conversationOf({
  continue: isLatest,
  resume,
  forkSession,
  sessionId,
}: ConversationOptions): ConversationChoice {
  const id = sessionId === undefined ? {} : { id: sessionId };
  if (!isLatest && resume === undefined) {
    if (forkSession) throw new UserFacingError("--fork-session needs --continue or --resume.", 2);
    return { kind: "new", ...id };
  }
  if (sessionId !== undefined && !forkSession) {
    throw new UserFacingError(
      "--session-id names a new session: with --continue or --resume it needs --fork-session.",
      2,
    );
  }
  const fork = forkSession ? { fork: id } : {};
  return typeof resume === "string" ? { kind: "saved", id: resume, ...fork } : { kind: "latest", ...fork };
}
