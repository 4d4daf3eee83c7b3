import { resolve } from "node:path";
import { orAborted } from "@quoll/async/or-aborted";
import { formatDuration } from "@quoll/terminal-text/format-amount";
import { afterSleep } from "../../../contracts/after-sleep.ts";
import { errorMessage } from "../../../contracts/errors.ts";
import type { McpElicitation, McpElicitationReply, McpSampling, McpSamplingReply } from "../../../contracts/mcp.ts";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { isNamedIn } from "../../../platform/processes/credential-variables.ts";
import type { McpServerConfig } from "../config/server-config.ts";
import { loginAdvice, loginNeed } from "../login-need.ts";
import { type OpenTransport, openTransport, type TransportDeps } from "../transport/open-transport.ts";
import {
  CHANGED_SERVER,
  ClosedConnectionError,
  describeAnswer,
  describeRemote,
  httpStatus,
  McpStartError,
} from "../transport/session-error.ts";
import { ClientSession, type ToolList } from "./client-session.ts";
import { loadSdk, type Sdk } from "./load-sdk.ts";
import type { ServerNotice } from "./server-notices.ts";

export type UsableConfig = Exclude<McpServerConfig, { readonly kind: "invalid" }>;

export type OpenDeps = TransportDeps & {
  /** Our own version, for the servers. */
  readonly version: string;
  /** Names of variables that programs do not get. */
  withheld(): readonly string[];
  roots(): readonly string[];
  readonly elicit?: (request: McpElicitation, signal: AbortSignal) => Promise<McpElicitationReply>;
  readonly sample?: (request: McpSampling, signal: AbortSignal) => Promise<McpSamplingReply>;
};

export type OpenedSession = {
  readonly session: ClientSession;
  readonly opened: OpenTransport;
  readonly sdk: Sdk;
  readonly list: ToolList;
};

/** Callbacks for the owner of the session. */
type SessionListeners = {
  /** Asks the person; undefined if nobody can be asked: questions are then declined at once. */
  readonly elicit: OpenDeps["elicit"];
  /** True if a person asks for another attempt: a server that needed a login is then tried again. */
  readonly isRetry: boolean;
  onTransport(opened: OpenTransport): void;
  onNotice(notice: ServerNotice): void;
  onLost(): void;
};

export type StartListeners = Omit<SessionListeners, "onLost"> & {
  /** Called only for a session that `startServer` has returned. */
  onLost(opened: OpenedSession): void;
};

type Start<Listeners> = { readonly deps: OpenDeps; readonly listeners: Listeners };

/** `isLost` is true if the connection ended, even before the session was returned. */
type StartedServer = { readonly opened: OpenedSession; readonly isLost: boolean };

class StartLimitError extends Error {}

/**
 * Starts a server: its program or connection, the first messages, every page of its list of tools.
 * @throws {McpStartError} any failure, in one line; nothing is left running. Rejects with the abort reason when `signal` aborts.
 */
async function openSession(
  config: UsableConfig,
  start: Start<SessionListeners>,
  signal: AbortSignal,
): Promise<OpenedSession> {
  const { clock, limits } = start.deps;
  const { startMs = limits.startMs } = config;
  const over = new AbortController();
  const deadline = new AbortController();
  afterSleep(clock.sleep(startMs, over.signal), () =>
    deadline.abort(new StartLimitError(`it did not answer within ${formatDuration(startMs)}`)),
  );
  try {
    return await open(config, start, { signal, limited: AbortSignal.any([signal, deadline.signal]) });
  } finally {
    over.abort(new Error("The start is over."));
  }
}

type StartSignals = { readonly signal: AbortSignal; readonly limited: AbortSignal };

async function open(
  config: UsableConfig,
  { deps, listeners }: Start<SessionListeners>,
  { signal, limited }: StartSignals,
): Promise<OpenedSession> {
  const sdk = await orAborted(loadSdk(), limited);
  // The approval is checked at each start: a server that has ended is restarted, and its program may have changed
  // since.
  if (deps.isChanged?.(config)) throw new McpStartError(CHANGED_SERVER);
  const opened = await openTransport(config, deps);
  listeners.onTransport(opened);
  if (!listeners.isRetry && (await opened.login?.isKnownToBeMissing()))
    throw new McpStartError(`it needs a login: ${loginAdvice(config.name)}`, { needsAuth: true });
  const session = new ClientSession({
    server: config.name,
    sdk,
    opened,
    clock: deps.clock,
    limits: deps.limits,
    version: deps.version,
    roots: () => serverRoots(config, deps.roots(), deps.cwd),
    elicit: listeners.elicit,
    sample: deps.sample,
    onNotice: (notice) => listeners.onNotice(notice),
    onLost: () => listeners.onLost(),
  });
  try {
    await session.connect(limited);
    const list = await session.listTools(limited);
    return { session, opened, sdk, list };
  } catch (error) {
    const problem = signal.aborted ? signal.reason : startError(error, { config, opened, deps });
    await session.close();
    throw problem;
  }
}

type Failure = { readonly config: UsableConfig; readonly opened: OpenTransport; readonly deps: OpenDeps };

function startError(error: unknown, { config, opened, deps }: Failure): McpStartError {
  const isLate = error instanceof StartLimitError;
  if (opened.stdio) {
    const words = opened.stdio.stderrTail;
    const isStarted = opened.stdio.isStarted;
    const how =
      isLate || !isStarted ? withWords(errorMessage(error), words) : describeProtocol(error, opened.stdio.reason);
    return new McpStartError(how + withheldHint(words, deps), { isLate, cause: error });
  }
  if (isLate) return new McpStartError(errorMessage(error), { isLate, cause: error });
  if (config.kind === "sdk") return new McpStartError(describeAnswer(error, 300), { cause: error });
  const isRefused = httpStatus(error) === 401;
  const needed = opened.login && loginNeed(opened.login, { name: config.name, error });
  if (isRefused && needed === undefined)
    return new McpStartError("it answered 401: check the Authorization header (headers in its configuration)", {
      needsAuth: true,
      cause: error,
    });
  // A login that can't be renewed now may be renewed later.
  if (needed !== undefined)
    return new McpStartError(needed, { needsAuth: httpStatus(error) !== undefined, cause: error });
  return new McpStartError(describeRemote(error) + wrongKindHint(config, error), { cause: error });
}

/** A rejected answer is more informative than the end of the connection that follows. */
function describeProtocol(error: unknown, reason: string): string {
  const isEnd =
    error instanceof ClosedConnectionError ||
    /Connection closed|EPIPE|ECONNRESET|Not connected/i.test(errorMessage(error));
  return isEnd ? reason : describeAnswer(error, 300);
}

function withWords(text: string, words: string | undefined): string {
  return words === undefined ? text : `${text}: ${words}`;
}

/** A program that names a missing variable in its error was deliberately not given this variable. */
function withheldHint(words: string | undefined, { withheld }: OpenDeps): string {
  const name = withheld().find((one) => words !== undefined && isNamedIn(words, one));
  if (name === undefined) return "";
  return `; ${name} is not passed to programs; to pass it, add to "env": "${name}": "\${${name}}"`;
}

function wrongKindHint(config: UsableConfig, error: unknown): string {
  const status = httpStatus(error);
  return config.kind === "http" && (status === 404 || status === 405)
    ? '; if the address is correct, the server may need "type": "sse"'
    : "";
}

const MAX_ARGUMENTS = 100;

/**
 * The folders that a server gets: the workspace, and the folders that its own arguments name. Some servers replace the
 * folders of their arguments by those that the client reports.
 */
function serverRoots(config: McpServerConfig, roots: readonly string[], cwd: string): readonly string[] {
  if (config.kind !== "stdio") return roots;
  const base = resolve(cwd, config.cwd ?? ".");
  const named = config.args
    .slice(0, MAX_ARGUMENTS)
    .filter((argument) => argument !== "" && !argument.startsWith("-"))
    .map((argument) => resolve(base, argument))
    .filter((path) => kindAt(path) === "folder");
  return [...new Set([...roots, ...named])];
}

/**
 * Opens a session, within the server's own limit.
 * @throws {McpStartError} as `openSession`.
 */
export async function startServer(
  config: UsableConfig,
  start: Start<StartListeners>,
  signal: AbortSignal,
): Promise<StartedServer> {
  const { elicit, isRetry, onTransport, onNotice, onLost } = start.listeners;
  // The object is created before the first await of a session, so that the end of one session is not attributed to
  // another.
  const mine: { opened?: OpenedSession; isLost: boolean } = { isLost: false };
  const lost = () => {
    mine.isLost = true;
    if (mine.opened) onLost(mine.opened);
  };
  const listeners = { elicit, isRetry, onTransport, onNotice, onLost: lost };
  const opened = await openSession(config, { deps: start.deps, listeners }, signal);
  return Object.assign(mine, { opened });
}
