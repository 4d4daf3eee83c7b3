import { type App, openApp } from "../../app/open-app.ts";
import { openSession } from "../../app/session/open-session.ts";
import type { Session } from "../../app/session/session.ts";
import { BUILTIN_COMMANDS } from "../../commands/builtin-commands.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { SessionServers } from "../../faces/headless/control-requests.ts";
import type { SessionSetup } from "../../faces/headless/initialize-request.ts";
import { inputLines } from "../../faces/headless/input-lines.ts";
import { runSession } from "../../faces/headless/run-session.ts";
import type { OpenSession, SessionPorts } from "../../faces/headless/session-props.ts";
import { randomIds, systemClock } from "../../platform/clock.ts";
import { host, printProblem } from "../../platform/host.ts";
import { ProgramPort } from "../../protocol/program-port.ts";
import { callbackHooks } from "../../services/hooks/callback-hooks.ts";
import { sessionDoctor } from "../doctor/session-doctor.ts";
import type { SessionOptions } from "../invocation.ts";
import { initializeAnswer, modelLimits, modelLines } from "./initialize-answer.ts";
import { openOutput } from "./open-output.ts";
import { sessionTasks } from "./open-session-tasks.ts";
import { decider, permissionChanges, STDIO_PROMPTS } from "./prompt-tool.ts";
import { recordFaults } from "./record-faults.ts";
import { sessionAnswers, styleNames } from "./session-answers.ts";
import { sessionConfigOf } from "./session-config.ts";
import { initLine } from "./session-lines.ts";
import { type SessionTexts, sessionTexts } from "./session-texts.ts";
import { inWorktree } from "./worktree-option.ts";

/** `--input-format stream-json`: reads lines of JSON from a program until stdin ends. */
export async function runStream(prompt: string | undefined, given: SessionOptions, version: string): Promise<number> {
  check(given);
  const app = openApp({ version });
  const { options, leave } = await inWorktree(given, { app, startedIn: host().cwd }, { startupWarning: printProblem });
  try {
    return await talkWith({ prompt, options, app });
  } finally {
    const stays = await leave();
    if (stays !== undefined) printProblem(stays);
  }
}

type Talking = { readonly prompt: string | undefined; readonly options: SessionOptions; readonly app: App };

async function talkWith({ prompt, options, app }: Talking): Promise<number> {
  const { version } = app;
  for (const option of options.ignored ?? []) printProblem(`the unknown option ${option} was ignored`);
  const texts = await sessionTexts(options);
  const over = new AbortController();
  const output = openOutput(() => over.abort(new Error("The session is ended.")));
  const opened: { session?: Session } = {};
  const open = async (setup: SessionSetup, ports: SessionPorts) => {
    const session = await openStreamSession({ options, app, texts, setup, ports, signal: over.signal });
    opened.session = session;
    return sessionProps(session, { options, version });
  };
  try {
    const talk = () =>
      runSession({
        lines: inputLines(process.stdin),
        open,
        callbackHooks: (call) => callbackHooks(call, systemClock),
        clock: systemClock,
        ids: randomIds,
        partial: options.includePartialMessages ?? false,
        replay: options.replayUserMessages ?? false,
        ...(prompt !== undefined && prompt.trim() !== "" && { prompt }),
        out: output.write,
        err: printProblem,
        signal: over.signal,
      });
    await recordFaults(() => opened.session, talk);
    return output.exitCode ?? 0;
  } finally {
    process.stdin.destroy();
    const ended = (await opened.session?.close()) ?? [];
    if (ended.length > 0) printProblem(`ended background tasks: ${ended.join(", ")}`);
    output.close();
  }
}

/** @throws {UserFacingError} (exit 2) the options contradict each other. */
function check({ outputFormat, resume }: SessionOptions): void {
  if (outputFormat !== "stream-json")
    throw new UserFacingError("--input-format stream-json needs --output-format stream-json.", 2);
  if (resume === true)
    throw new UserFacingError("--resume needs a session id here (--continue resumes the newest session).", 2);
}

type Wishes = { readonly options: SessionOptions; readonly app: App; readonly texts: SessionTexts };

/** Builds the session from the command line and the program's first message; the message wins. */
async function openStreamSession(
  wishes: Wishes & { readonly setup: SessionSetup; readonly ports: SessionPorts; readonly signal: AbortSignal },
) {
  const { options, app, texts, setup, ports, signal } = wishes;
  const replace = setup.systemPrompt ?? texts.systemPrompt?.replace;
  const append = setup.appendSystemPrompt ?? texts.systemPrompt?.append;
  const outputSchema = setup.jsonSchema ? { schema: setup.jsonSchema, source: "jsonSchema" } : texts.outputSchema;
  const { mcpServers } = setup;
  const given = Object.keys(mcpServers).length > 0 ? [JSON.stringify({ mcpServers })] : [];
  const configs = [...(options.mcpConfig ?? []), ...given];
  const elicit = ports.elicit && { elicit: ports.elicit };
  const config = sessionConfigOf(options, {
    startedIn: host().cwd,
    answerer: options.permissionPromptTool === undefined ? "nobody" : "program",
    systemPrompt: { ...(replace !== undefined && { replace }), ...(append !== undefined && { append }) },
    ...(outputSchema && { outputSchema }),
    ...(texts.agents && { agents: texts.agents }),
    mcp: { configs, inProcess: setup.sdkServers, ...(options.strictMcpConfig && { isStrict: true }) },
  });
  let opened: Session | undefined;
  const doctor = sessionDoctor({ app, config, extensions: () => opened?.extensions });
  const session = await openSession(app, config, {
    startupWarning: printProblem,
    commands: { builtin: BUILTIN_COMMANDS, doctor },
    hooks: ports.hooks,
    mcp: { link: ports.link, signal, ...elicit },
  });
  opened = session;
  if (session.choice.provider === "offline" && session.choice.fallback)
    printProblem("no model is configured, so the offline engine answers (set ANTHROPIC_API_KEY for a model)");
  return session;
}

async function sessionProps(
  session: Session,
  { options, version }: { readonly options: SessionOptions; readonly version: string },
): Promise<OpenSession> {
  const { engine } = session.main;
  const { permissionPromptTool: tool } = options;
  const { commands } = session;
  const { types } = session.delegation;
  const styles = await styleNames(session);
  await types.prepareAdding();
  return {
    engine,
    session: new ProgramPort({ engine, agents: session.agents, commands, clock: session.app.clock }),
    mcp: sessionServers(session),
    answers: sessionAnswers(session),
    tasks: sessionTasks(session),
    ...(commands.context.rewinds && { rewinds: commands.context.rewinds }),
    version,
    agents: () => types.all,
    addAgents: (given) => types.add(given).map(({ line }) => line),
    init: () => initLine(session, { version, commands: commands.list().map(({ name }) => name) }),
    catalogue: () => initializeAnswer(session, styles),
    models: () => modelLines(session),
    limits: (model) => modelLimits(model, session),
    ...permissionChanges(session, options),
    ...(tool !== undefined && tool !== STDIO_PROMPTS && { decide: decider(tool, session, options).ask }),
  };
}

/** The session's MCP servers, as a program may change them. The first server may be added while the session runs. */
function sessionServers(session: Session): SessionServers {
  return {
    get states() {
      return session.servers.client?.states ?? [];
    },
    tools: () => session.servers.client?.tools() ?? [],
    reconnect: async (name) => (await session.servers.client?.reconnect(name)) ?? false,
    setEnabled: async (name, enabled) => (await session.servers.client?.setEnabled(name, enabled)) ?? false,
    call: async (tool, input, signal) =>
      (await import("./call-server-tool.ts")).callServerTool(session, { tool, input, signal }),
    resource: async (server, uri) => {
      if (!session.servers.client) throw new Error(`there is no MCP server ${JSON.stringify(server)}`);
      return session.servers.client.rawResource(server, uri, new AbortController().signal);
    },
    receive: (server, message) => session.servers.client?.receive(server, message) ?? false,
    exchange: async (servers) => {
      const { namedServers } = await import("../../app/mcp/wire-mcp.ts");
      const { serverPolicy } = await import("../../app/mcp/find-servers.ts");
      const policy = serverPolicy(session.environment);
      const { env } = session.environment;
      const configs = namedServers(servers, { environment: env, policy, notify: printProblem });
      return (await session.servers.open()).exchange(configs);
    },
  };
}
