import { randomBytes } from "node:crypto";
import type { McpPorts } from "../../app/mcp/wire-mcp.ts";
import { openApp } from "../../app/open-app.ts";
import { runOutsideCall } from "../../app/session/actions/run-outside-call.ts";
import { openSession } from "../../app/session/open-session.ts";
import type { Session } from "../../app/session/session.ts";
import { MAIN_AGENT } from "../../contracts/agent.ts";
import { nearestName } from "../../contracts/did-you-mean.ts";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { EngineEvent, PermissionDenial } from "../../contracts/event.ts";
import type { AgentRequest, CallScope, ServedAgent, ServedSession } from "../../contracts/served-session.ts";
import { remedyLine } from "../../faces/headless/remedy-line.ts";
import { AGENT_TOOL } from "../../faces/mcp-server/agent-tool.ts";
import type { ServePorts } from "../../faces/mcp-server/serve-connection.ts";
import { environment } from "../../platform/env.ts";
import { host, printProblem } from "../../platform/host.ts";
import { printOut } from "../../platform/standard-output.ts";
import type { McpServeOptions } from "../invocation.ts";
import { sessionConfigOf } from "../session/session-config.ts";
import { mcpOf } from "../session/session-texts.ts";
import { watchSignals } from "../signals.ts";

/** Set for every program that the server starts, so that a server that starts itself does not do so forever. */
const SERVING_VARIABLE = "QUOLL_MCP_SERVING";
/** The token of `--http`, if the person chooses it. */
const TOKEN_VARIABLE = "QUOLL_MCP_TOKEN";
const MIN_TOKEN_CHARS = 16;
const TOKEN_BYTES = 32;
const ANY_PORT = 0;

type App = ReturnType<typeof openApp>;

/** `quoll mcp serve`: Quoll's tools for other programs, until the program or a signal ends it. */
export async function serveMcp(options: McpServeOptions, version: string): Promise<number> {
  const over = new AbortController();
  const signals = watchSignals(() => over.abort(new Error("The server is ended.")));
  const variables = environment();
  if (options.withMcp && variables[SERVING_VARIABLE] !== undefined)
    throw new UserFacingError(
      "A server of `quoll mcp serve` can't offer the tools of MCP servers: leave out --with-mcp.",
      2,
    );
  await using app = openApp({ version, environment: { ...variables, [SERVING_VARIABLE]: "1" } });
  try {
    const { http } = options;
    if (http === undefined) await serveOne(app, options, over);
    else await serveMany(app, options, http === true ? ANY_PORT : http, over.signal);
  } finally {
    signals.stop();
  }
  return signals.exitCode ?? 0;
}

/** @throws {UserFacingError} the session can't be opened. */
async function serveOne(app: App, options: McpServeOptions, over: AbortController): Promise<void> {
  const { serveStdio } = await import("../../faces/mcp-server/serve-stdio.ts");
  let failure: unknown;
  const failed = (error: unknown) => {
    failure = error;
    // The client gets the error as an answer first.
    setTimeout(() => over.abort(new Error("The session can't be opened.")), 0);
  };
  const { stdin, stdout } = process;
  // The other options are read together with the session, which the first request opens.
  if (options.tools) await checkOptions(app, options);
  if (stdin.isTTY)
    printProblem(
      "this is an MCP server, which another program normally starts; --http serves programs over HTTP (Ctrl+D ends the server)",
    );
  await serveStdio({ ...portsOf(app, options), failed, stdin, stdout, signal: over.signal });
  if (failure !== undefined) throw failure;
}

async function serveMany(app: App, options: McpServeOptions, wantedPort: number, signal: AbortSignal): Promise<void> {
  const [{ HttpSessions }, { openLoopbackServer }] = await Promise.all([
    import("../../faces/mcp-server/http-sessions.ts"),
    import("../../platform/loopback-server.ts"),
  ]);
  const given = app.env[TOKEN_VARIABLE];
  if (given !== undefined && given.length < MIN_TOKEN_CHARS)
    throw new UserFacingError(`${TOKEN_VARIABLE} is too short: it needs ${MIN_TOKEN_CHARS} characters or more.`, 2);
  const token = given ?? randomBytes(TOKEN_BYTES).toString("base64url");
  const failed = (error: unknown) => printProblem(errorMessage(error));
  await checkOptions(app, options);
  const sessions = new HttpSessions({ ...portsOf(app, options), failed, token });
  const server = await openLoopbackServer(wantedPort, sessions.answer);
  const shown = given === undefined ? `Authorization: Bearer ${token}` : `The token is in ${TOKEN_VARIABLE}.`;
  printOut(`http://127.0.0.1:${server.port}/mcp\n${shown}\n`);
  await aborted(signal);
  await sessions.close();
  await server.close();
}

/** The person who starts the server sees a wrong setting or option at once, instead of the first client. */
async function checkOptions(app: App, { withMcp: _, ...options }: McpServeOptions): Promise<void> {
  const session = await open(app, options, undefined);
  await session.close();
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function portsOf(app: App, options: McpServeOptions): Omit<ServePorts, "failed"> {
  return {
    version: app.version,
    filter: { only: options.tools, withOthers: options.withMcp === true },
    open: (elicit) => open(app, options, elicit),
    newId: () => app.ids.next(),
    remedy,
  };
}

async function open(app: App, options: McpServeOptions, elicit: McpPorts["elicit"]): Promise<ServedSession> {
  const { tools, withMcp, http: _, ...wanted } = options;
  const all = { ...wanted, sessionPersistence: false, outputFormat: "text" } as const;
  const config = sessionConfigOf(all, {
    startedIn: host().cwd,
    answerer: elicit ? "program" : "nobody",
    ...(withMcp && mcpOf(all)),
  });
  const session = await openSession(
    app,
    { ...config, noticesAsEvents: true },
    { startupWarning: printProblem, ...(elicit && { mcp: { elicit } }) },
  );
  const served = servedSession(session);
  try {
    assertKnown(tools ?? [], served);
  } catch (error) {
    await session.close();
    throw error;
  }
  return served;
}

/**
 * Servers may offer their tools later, so their names can't be checked.
 * @throws {UserFacingError} (exit 2) a tool of Quoll does not exist.
 */
function assertKnown(wanted: readonly string[], session: ServedSession): void {
  const names = [...session.tools().map(({ spec }) => spec.name), AGENT_TOOL];
  const unknown = wanted.find((name) => !name.startsWith("mcp__") && !names.includes(name));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, names);
  const hint = nearest === undefined ? `there are ${names.join(", ")}.` : `did you mean ${nearest}?`;
  throw new UserFacingError(`--tools: there is no tool "${unknown}"; ${hint}`, 2);
}

function remedy(denials: readonly PermissionDenial[]): string | undefined {
  return remedyLine(denials, { goal: "To allow this", how: "start `quoll mcp serve` with" });
}

/** A session in the form in which a face offers its tools to a program. */
function servedSession(session: Session): ServedSession {
  const { main, debugging, conversation } = session;
  const { offered, workspace, engine } = main;
  const { sessionId } = conversation.log;
  const observe = (event: EngineEvent) => debugging.log?.observe({ sessionId, ...MAIN_AGENT, event });
  return {
    tools: () => offered.entries.map(({ value, source }) => ({ spec: value.spec, isOwn: source.kind === "builtin" })),
    onToolsChanged: (listener) => offered.onChanged(listener),
    questions: engine.questions,
    folders: workspace.roots,
    call: (call, { signal, emit }) => {
      const followed = (event: EngineEvent) => {
        observe(event);
        emit(event);
      };
      return runOutsideCall(session.main, call, { signal, emit: followed });
    },
    openAgent: (request, scope) => openServedAgent(session, request, scope),
    onNotice: (listener) =>
      session.agents.subscribe(({ agentId, event }) => {
        if (agentId === MAIN_AGENT.agentId && event.type === "notice") listener(event.message);
      }),
    close: () => session.close(),
  };
}

const OFFLINE = "No model is configured, so the offline engine answers (set ANTHROPIC_API_KEY for a model).";

async function openServedAgent(
  { main, agents, choice }: Session,
  { prompt, model, maxSteps, maxBudgetUsd }: AgentRequest,
  { signal, emit }: CallScope,
): Promise<ServedAgent> {
  const agent = await main.spawn(
    {
      ...(model !== undefined && { model }),
      ...(maxSteps !== undefined && { maxSteps }),
      ...(maxBudgetUsd !== undefined && { budget: { usd: maxBudgetUsd } }),
    },
    signal,
  );
  const isOffline = model === undefined && choice.provider === "offline" && choice.fallback;
  if (isOffline) emit({ type: "notice", message: OFFLINE });
  const id = agent.source.agentId;
  const unsubscribe = agents.subscribe(({ agentId, event }) => {
    if (agentId === id) emit(event);
  });
  return {
    id,
    run: async () => {
      try {
        return await agent.run(prompt, signal);
      } finally {
        unsubscribe();
        await agent.close();
      }
    },
  };
}
