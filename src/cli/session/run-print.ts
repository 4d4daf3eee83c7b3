import { firstPrompt } from "../../app/agent/main-agent.ts";
import { type App, openApp } from "../../app/open-app.ts";
import { openSession } from "../../app/session/open-session.ts";
import type { Session } from "../../app/session/session.ts";
import type { UserInput } from "../../contracts/engine.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { McpServerState } from "../../contracts/mcp.ts";
import { namedFew } from "../../contracts/words.ts";
import { type HeadlessProps, runHeadless } from "../../faces/headless/run-headless.ts";
import { randomIds } from "../../platform/clock.ts";
import { host, printError, printProblem } from "../../platform/host.ts";
import { textForTerminal } from "../../platform/standard-output.ts";
import { FIRST_BYTE_MS, isNullDevice, MAX_STDIN_BYTES, readStdin } from "../../platform/stdin.ts";
import { ProgramPort } from "../../protocol/program-port.ts";
import type { SessionOptions } from "../invocation.ts";
import { modelLimits } from "./initialize-answer.ts";
import { openOutput } from "./open-output.ts";
import { sessionTasks } from "./open-session-tasks.ts";
import { decider, STDIO_PROMPTS } from "./prompt-tool.ts";
import { recordFaults } from "./record-faults.ts";
import { sessionConfigOf } from "./session-config.ts";
import { initLine } from "./session-lines.ts";
import { mcpOf, type SessionTexts, sessionTexts } from "./session-texts.ts";
import { inWorktree } from "./worktree-option.ts";

const STDIN = 0;
const OFFLINE = "no model is configured, so the offline engine answers (set ANTHROPIC_API_KEY for a model)";

/** `quoll -p`: one prompt, its answer, an exit code. */
export async function runPrint(prompt: string | undefined, options: SessionOptions, version: string): Promise<number> {
  if (options.resume === true) {
    throw new UserFacingError("--resume needs a session id with -p (--continue resumes the newest session).", 2);
  }
  for (const line of misplaced(options)) printProblem(line);
  const texts = await sessionTexts(options);
  const input = await readInput(prompt);
  const app = openApp({ version });
  const startedIn = host().cwd;
  const { options: placed, leave } = await inWorktree(options, { app, startedIn }, { startupWarning: printProblem });
  try {
    return await printAnswer({ app, options: placed, texts, input, startedIn });
  } finally {
    const stays = await leave();
    if (stays !== undefined) printProblem(stays);
  }
}

type Printing = {
  readonly app: App;
  readonly options: SessionOptions;
  readonly texts: SessionTexts;
  readonly input: UserInput;
  readonly startedIn: string;
};

async function printAnswer({ app, options, texts, input, startedIn }: Printing): Promise<number> {
  const { version } = app;
  const { permissionPromptTool: tool, outputFormat: format, verbose = false } = options;
  const answerer = tool === undefined ? "nobody" : "program";
  const isCommand = input.prompt.startsWith("/") && input.attachments === undefined;
  // The first line of stream-json names the commands.
  const listsCommands = isCommand || format === "stream-json";
  const commands = listsCommands ? await builtinCommands() : undefined;
  const mcp = mcpOf(options);
  const needsServers = !isCommand || commands?.builtin.find(isTyped(input.prompt))?.needsNoServers !== true;
  const config = sessionConfigOf(options, {
    startedIn,
    answerer,
    isOneTurn: true,
    ...texts,
    mcp: needsServers ? mcp.mcp : { ...mcp.mcp, isInBackground: true },
  });
  const session = await openSession(app, config, { startupWarning: printProblem, ...(commands && { commands }) });
  if (session.choice.provider === "offline" && session.choice.fallback) printProblem(OFFLINE);
  for (const line of lostServers(session)) printProblem(line);
  const unwatch = watchServerLosses(session);
  const over = new AbortController();
  const { engine } = session.main;
  const port = new ProgramPort({ engine, agents: session.agents, commands: session.commands, clock: app.clock });
  const output = openOutput(() => {
    over.abort(new Error("Interrupted by the user."));
    port.send({ type: "interrupt" });
  });
  try {
    if (isCommand) {
      session.commands.assertNeedsNoScreen(input.prompt);
      await session.commands.assertKnown(input.prompt, over.signal);
      if (over.signal.aborted) return output.exitCode ?? 1;
    }
    const desk = tool === undefined ? undefined : decider(tool, session, options);
    const init = initLine(session, { version, commands: session.commands.list().map(({ name }) => name) });
    const limits = (model: string) => modelLimits(model, session);
    const partial = options.includePartialMessages ?? false;
    const face: Omit<HeadlessProps, "out"> = {
      engine,
      session: port,
      mayBeCommand: isCommand,
      input: isCommand ? input : { ...input, prompt: firstPrompt(session, input.prompt) },
      format,
      verbose,
      partial,
      ids: randomIds,
      // A reader that leaves ends the run, which is no news for anybody.
      err: (line: string) => {
        if (!output.isLost) printProblem(line);
      },
      init,
      limits,
      background: { agents: sessionTasks(session).agents, signal: over.signal },
    };
    const { exitCode } = await recordFaults(
      () => session,
      () => runHeadless({ ...face, out: (text) => output.write(textForTerminal(text)), ...(desk && { desk }) }),
    );
    return output.exitCode ?? exitCode;
  } finally {
    unwatch();
    const ended = await session.close();
    if (ended.length > 0) printProblem(`ended background tasks: ${ended.join(", ")}`);
    output.close();
  }
}

/** The command runner is loaded only for a prompt that may be a command. */
async function builtinCommands() {
  return { builtin: (await import("../../commands/builtin-commands.ts")).BUILTIN_COMMANDS };
}

function isTyped(prompt: string) {
  const [typed] = prompt.slice(1).split(/\s/, 1);
  return ({ name }: { readonly name: string }) => name === typed;
}

/** @throws {UserFacingError} (exit 2) a required option is missing. */
function misplaced({ permissionPromptTool, replayUserMessages, outputFormat, includePartialMessages }: SessionOptions) {
  if (permissionPromptTool === STDIO_PROMPTS)
    throw new UserFacingError("--permission-prompt-tool stdio needs --input-format stream-json.", 2);
  const isIdle = includePartialMessages && outputFormat !== "stream-json";
  return [
    ...(replayUserMessages ? ["--replay-user-messages does nothing without --input-format stream-json"] : []),
    ...(isIdle ? ["--include-partial-messages does nothing without --output-format stream-json"] : []),
  ];
}

/** The prompt is the argument, followed by piped text as data; without an argument, the piped text is the prompt. */
async function readInput(prompt: string | undefined): Promise<UserInput> {
  // The first use of `process.stdin` loads the runtime's streams, which takes milliseconds.
  const piped = isNullDevice(STDIN) || process.stdin.isTTY ? "" : await readPiped();
  if (prompt !== undefined && prompt.trim() !== "") {
    const isEmpty = piped.trim() === "";
    return isEmpty ? { prompt } : { prompt, attachments: [{ type: "text", text: `<stdin>\n${piped}\n</stdin>` }] };
  }
  if (piped.trim() === "")
    throw new UserFacingError('There is no prompt: give one as an argument (quoll -p "…") or on stdin.', 2);
  return { prompt: piped };
}

async function readPiped(): Promise<string> {
  const read = await readStdin(process.stdin);
  switch (read.kind) {
    case "too-large":
      throw new UserFacingError(
        `stdin holds more than ${MAX_STDIN_BYTES / 1024 / 1024} MB: write it to a file and name the file in the prompt.`,
        2,
      );
    case "silent":
      printProblem(
        `no input on stdin within ${FIRST_BYTE_MS / 1000} s: continuing without it (use < /dev/null to skip the wait)`,
      );
      return "";
    case "text":
      if (read.replacedInvalid) printError("quoll: stdin is not valid UTF-8: invalid bytes were replaced");
      return read.text;
  }
}

const MAX_NAMED_SERVERS = 10;

/** Names missing servers, at most one line of each kind, since there is no screen with a list of them. */
function lostServers({ servers }: Pick<Session, "servers">): readonly string[] {
  const states = servers.client?.states ?? [];
  const pending = states.filter(({ status }) => status === "pending").map(({ name }) => JSON.stringify(name));
  const lost = states.filter(isLost);
  const [first] = lost;
  const why = ({ error, status }: McpServerState) => error ?? status;
  const named = (one: McpServerState) => `${JSON.stringify(one.name)} (${why(one)})`;
  return [
    ...(pending.length === 1
      ? [`the MCP server ${pending[0]} is still starting: the run continues without its tools until it answers`]
      : []),
    ...(pending.length > 1
      ? [
          `${pending.length} MCP servers, ${namedFew(pending, MAX_NAMED_SERVERS)}, are still starting: the run continues without their tools until they answer`,
        ]
      : []),
    ...(first && lost.length === 1
      ? [`the MCP server ${JSON.stringify(first.name)} is not available: ${why(first)}`]
      : []),
    ...(lost.length > 1
      ? [`${lost.length} MCP servers are not available: ${namedFew(lost.map(named), MAX_NAMED_SERVERS)}`]
      : []),
  ];
}

/**
 * Reports the first loss of each server that was connected, or was still starting when the run began.
 * @returns the function that stops this.
 */
function watchServerLosses({ servers }: Pick<Session, "servers">): () => void {
  const ends: (() => void)[] = [];
  ends.push(
    servers.onClient((client) => {
      const told = new Set(client.states.filter(isLost).map(({ name }) => name));
      const connected = new Set<string>();
      const look = () => {
        for (const state of client.states) {
          const { name, status, error } = state;
          if (status === "connected") connected.add(name);
          if (!isLost(state) || told.has(name)) continue;
          told.add(name);
          printProblem(
            `the MCP server ${JSON.stringify(name)} ${connected.has(name) ? "was lost" : "is not available"}: ${error ?? status}`,
          );
        }
      };
      look();
      ends.push(client.onChanged(look));
    }),
  );
  return () => {
    for (const end of ends) end();
  };
}

function isLost({ status }: McpServerState): boolean {
  return status === "failed" || status === "needs-auth";
}
