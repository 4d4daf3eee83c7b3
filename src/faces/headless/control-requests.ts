import { z } from "zod";
import type { Rewinds } from "../../contracts/checkpoint.ts";
import { issueSentence } from "../../contracts/describe-issue.ts";
import type { Engine, EngineState } from "../../contracts/engine.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { McpExchange, McpServers } from "../../contracts/mcp.ts";
import type { JsonObject } from "../../contracts/message.ts";
import { PERMISSION_MODES, type PermissionMode } from "../../contracts/permission-mode.ts";
import { EFFORTS } from "../../contracts/provider.ts";
import { type ContextParts, countContext, wireContext } from "./context-usage.ts";
import type { MessageIntake } from "./message-intake.ts";
import { refusalOf } from "./refused-requests.ts";
import { rewindFiles } from "./rewind-files.ts";
import type { BackgroundAgents } from "./settle-agents.ts";
import type { WireLine } from "./wire-format.ts";
import { wireServers } from "./wire-servers.ts";

/** The MCP servers, including those that live in the calling program. */
export type SessionServers = Pick<McpServers, "states" | "tools" | "reconnect" | "setEnabled"> & {
  /** Replaces the servers that a program added before. @throws {Error} a name is invalid. */
  exchange(servers: JsonObject): Promise<McpExchange>;
  /**
   * Calls a tool with the rules, questions and hooks of a model's call.
   * @throws {Error} the call was not allowed to run.
   */
  call(tool: string, input: JsonObject, signal: AbortSignal | undefined): Promise<WireLine>;
  /** The contents of a resource as the server sent them. @throws {Error} the server has no such resource. */
  resource(server: string, uri: string): Promise<readonly unknown[]>;
  /** @returns false if there is no such server. */
  receive(server: string, message: JsonObject): boolean;
};

/** The agents and the background work of a session. */
export type SessionTasks = {
  readonly agents: BackgroundAgents;
  /** @throws {Error} if there is no such task. */
  stop(id: string): Promise<void>;
  /** Lets the turn continue without the agents that it waits for, or without the agent of one call. */
  moveToBackground(toolUseId: string | undefined): void;
  /** The end of a task's output. @throws {Error} if there is no such task. */
  output(id: string): Promise<{ readonly text: string; readonly totalBytes: number; readonly isCut: boolean }>;
};

/** Answers that the face itself cannot give. */
export type SessionAnswers = {
  context(): ContextParts;
  /** The effective rules and the folders. */
  rules(): WireLine;
  /** The effective settings, without secrets. */
  settings(): Promise<WireLine>;
  /** The usage, as text. */
  cost(): Promise<string>;
  /** Reads the names of the output styles again. The style of the session stays the same. */
  styles(): Promise<readonly string[]>;
  /** The hooks of settings files. */
  hooks(): WireLine;
  /** Looks for changed skills. @returns the skills that people may start. */
  reloadSkills(): Promise<readonly WireLine[]>;
  /** Reads the plugins again. */
  reloadPlugins(): Promise<
    Readonly<Record<"commands" | "agents" | "plugins", readonly WireLine[]>> & { readonly error_count: number }
  >;
};

/** The parts of an open session that requests use. */
export type ControlledParts = {
  /** The engine itself: the port of a program carries neither replies with a reason nor the whole state. */
  readonly engine: Pick<Engine, "state" | "questions" | "enqueue" | "setModel" | "setEffort" | "setThinking">;
  readonly mcp: SessionServers;
  readonly version: string;
  readonly answers: SessionAnswers;
  readonly tasks: SessionTasks;
  /** Absent where no checkpoints are kept. */
  readonly rewinds?: Rewinds;
  /** The models, in the form of the reply to `initialize`. */
  models(): readonly WireLine[];
};

export type ControlledSession = ControlledParts & {
  /** The waiting messages. */
  readonly queue: Pick<MessageIntake, "ids" | "add" | "drop" | "clear">;
  /** The model and the thinking at the start of the session. */
  readonly first: Pick<EngineState, "model" | "thinking">;
  /** Ends the running turn and the running command. */
  interrupt(): void;
  /** @throws {Error} the mode is not allowed. */
  setMode(mode: PermissionMode): void;
};

type Handler = (request: JsonObject, session: ControlledSession) => WireLine | Promise<WireLine>;

const modelSchema = z.looseObject({ model: z.string().nullish() });
const thinkingSchema = z.looseObject({
  max_thinking_tokens: z.number().int().min(0).nullish(),
  thinking_display: z.string().nullish(),
});
const settingsSchema = z.looseObject({ settings: z.record(z.string(), z.unknown()) });
const mcpSchema = z.looseObject({ server_name: z.string(), message: z.record(z.string(), z.unknown()) });
const serverSchema = z.looseObject({ serverName: z.string() });
const toggleSchema = z.looseObject({ serverName: z.string(), enabled: z.boolean() });
const serversSchema = z.looseObject({ servers: z.record(z.string(), z.unknown()) });
const callSchema = z.looseObject({
  tool: z
    .string()
    .refine((name) => name.startsWith("mcp__"), "it must be the full name of a server's tool: mcp__SERVER__TOOL"),
  arguments: z.record(z.string(), z.unknown()).optional(),
  timeout_ms: z.number().min(1).optional(),
});
const resourceSchema = z.looseObject({ serverName: z.string(), uri: z.string() });
const taskSchema = z.looseObject({ task_id: z.string() });
const backgroundSchema = z.looseObject({ tool_use_id: z.string().nullish() });
const rewindSchema = z.looseObject({ user_message_id: z.string(), dry_run: z.boolean().nullish() });
const cancelSchema = z.looseObject({ message_uuid: z.string() });

/** If the provider's counts take longer, estimates are sent. */
const COUNT_MS = 10_000;

const HANDLERS = {
  interrupt,
  set_permission_mode: setPermissionMode,
  set_model: (request, session) => setModel(parse(modelSchema, request).model, session),
  set_max_thinking_tokens: setThinking,
  apply_flag_settings: applySettings,
  cancel_async_message: cancelMessage,
  mcp_message: receiveMcp,
  mcp_status: (_, { mcp }) => ({ mcpServers: wireServers(mcp) }),
  mcp_reconnect: reconnect,
  mcp_toggle: toggleServer,
  mcp_set_servers: (request, { mcp }) => mcp.exchange(parse(serversSchema, request).servers),
  mcp_call: callTool,
  mcp_read_resource: async (request, { mcp }) => {
    const { serverName, uri } = parse(resourceSchema, request);
    return { contents: await mcp.resource(serverName, uri) };
  },
  list_models: (_, { models }) => ({ models: models() }),
  get_context_usage: contextUsage,
  get_session_cost: async (_, { answers }) => ({ text: await answers.cost() }),
  get_settings: (_, { answers }) => answers.settings(),
  list_permission_rules: (_, { answers }) => ({ state: answers.rules() }),
  reload_output_styles: async (_, { answers }) => ({ available_output_styles: await answers.styles() }),
  get_hooks_listing: (_, { answers }) => answers.hooks(),
  reload_plugins: reloadPlugins,
  reload_skills: async (_, { answers }) => ({ skills: await answers.reloadSkills() }),
  set_has_subscribers: () => ({}),
  rewind_files: (request, { rewinds }) => {
    const { user_message_id: messageId, dry_run: isDryRun } = parse(rewindSchema, request);
    return rewindFiles(rewinds, { messageId, isDryRun: isDryRun ?? false });
  },
  stop_task: async (request, { tasks }) => {
    await tasks.stop(parse(taskSchema, request).task_id);
    return {};
  },
  background_tasks: (request, { tasks }) => {
    tasks.moveToBackground(parse(backgroundSchema, request).tool_use_id ?? undefined);
    return {};
  },
  get_task_output: async (request, { tasks }) => {
    const { text: output, totalBytes, isCut } = await tasks.output(parse(taskSchema, request).task_id);
    return { output, total_bytes: totalBytes, truncated: isCut };
  },
  get_binary_version: (_, { version }) => ({ version }),
} as const satisfies Readonly<Record<string, Handler>>;

/** The requests that a client may send. */
export type ControlSubtype = keyof typeof HANDLERS | "initialize";

/**
 * Carries out a client's request to a running session.
 * @returns the content of the reply.
 * @throws {Error} the request failed or is unknown; the message is for the client.
 */
export async function answerControl(
  subtype: string,
  request: JsonObject,
  session: ControlledSession,
): Promise<WireLine> {
  const handlers: Readonly<Record<string, Handler>> = HANDLERS;
  const handler = Object.hasOwn(handlers, subtype) ? handlers[subtype] : undefined;
  const name = JSON.stringify(subtype.slice(0, 80));
  const refusal = refusalOf(subtype);
  if (refusal !== undefined) throw new Error(`${name} is not supported: ${refusal}`);
  if (!handler) throw new Error(`the control request ${name} is unknown`);
  return handler(request, session);
}

function callTool(request: JsonObject, { mcp }: ControlledSession): Promise<WireLine> {
  const { tool, arguments: input = {}, timeout_ms: limitMs } = parse(callSchema, request);
  if (request["input_files"] !== undefined || request["output_files"] !== undefined)
    throw new Error("files can't be staged for a call");
  return mcp.call(tool, input, limitMs === undefined ? undefined : AbortSignal.timeout(limitMs));
}

/** A session keeps its plugins; only the content of their folders is read again. */
/** @throws {Error} the request asks for further plugins. */
async function reloadPlugins(request: JsonObject, { answers, mcp }: ControlledSession): Promise<WireLine> {
  const further: unknown = request["add_plugins"];
  if (Array.isArray(further) && further.length > 0)
    throw new Error('"add_plugins" is not supported: start quoll with --plugin-dir for each further plugin');
  const { commands, agents, plugins, error_count } = await answers.reloadPlugins();
  return { commands, agents, plugins, mcpServers: wireServers(mcp), error_count };
}

/** `detail` defaults to `full`: the provider counts the parts, if it can. */
async function contextUsage(request: JsonObject, { engine, answers }: ControlledSession): Promise<WireLine> {
  const parts = answers.context();
  const { state } = engine;
  const isFull = request["detail"] !== "summary";
  const counts = isFull && (await countContext(state, parts, AbortSignal.timeout(COUNT_MS)).catch(() => undefined));
  return wireContext(state, await parts.report(counts || undefined));
}

function cancelMessage(request: JsonObject, { queue }: ControlledSession): WireLine {
  return { cancelled: queue.drop(parse(cancelSchema, request).message_uuid) };
}

function interrupt(request: JsonObject, { interrupt: end, queue }: ControlledSession): WireLine {
  const dropped = request["cancel_queued"] === true ? queue.clear() : undefined;
  end();
  return { still_queued: queue.ids, ...(dropped && { cancelled: dropped }) };
}

function setPermissionMode(request: JsonObject, { setMode }: ControlledSession): WireLine {
  const mode = PERMISSION_MODES.find((one) => one === request["mode"]);
  if (!mode) throw new Error(`mode must be one of ${PERMISSION_MODES.join(", ")}`);
  setMode(mode);
  return { mode };
}

/** A turn keeps its model, so the change waits for the turns that were requested before it. */
function setModel(name: string | null | undefined, { engine, queue, first }: ControlledSession): Promise<WireLine> {
  const wanted = !name || name === "default" ? first.model : name;
  return new Promise((resolve, reject) => {
    const run = () =>
      engine.setModel(wanted).then(
        () => resolve({ model: engine.state.model }),
        (error: unknown) => reject(error),
      );
    const dropped = () => reject(new Error("the session was ended before its turn came"));
    if (!queue.add({ run, dropped })) reject(new Error("too many messages wait already"));
  });
}

function setThinking(request: JsonObject, { engine, first }: ControlledSession): WireLine {
  const { max_thinking_tokens: tokens, thinking_display: display } = parse(thinkingSchema, request);
  if (tokens === null) engine.setThinking(first.thinking);
  else if (tokens !== undefined) engine.setThinking(tokens);
  if (display) throw new Error("thinking_display can't be chosen here: thinking is shown as the provider gives it");
  return {};
}

async function applySettings(request: JsonObject, session: ControlledSession): Promise<WireLine> {
  const { settings } = parse(settingsSchema, request);
  for (const key of Object.keys(settings)) {
    if (key !== "model" && key !== "effortLevel")
      throw new Error(`the setting ${JSON.stringify(key.slice(0, 80))} can't be changed in a running session`);
  }
  if ("effortLevel" in settings) {
    const effort = EFFORTS.find((one) => one === settings["effortLevel"]);
    if (!effort && settings["effortLevel"] !== null)
      throw new Error(`effortLevel must be one of ${EFFORTS.join(", ")}`);
    session.engine.setEffort(effort);
  }
  if ("model" in settings) await setModel(parse(modelSchema, settings).model, session);
  return {};
}

function receiveMcp(request: JsonObject, { mcp }: ControlledSession): WireLine {
  const { server_name: name, message } = parse(mcpSchema, request);
  if (!mcp.receive(name, message)) throw new Error(`there is no MCP server ${JSON.stringify(name)}`);
  return {};
}

async function reconnect(request: JsonObject, { mcp }: ControlledSession): Promise<WireLine> {
  const { serverName } = parse(serverSchema, request);
  if (!(await mcp.reconnect(serverName))) throw new Error(`there is no MCP server ${JSON.stringify(serverName)}`);
  assertConnected(serverName, mcp);
  return {};
}

async function toggleServer(request: JsonObject, { mcp }: ControlledSession): Promise<WireLine> {
  const { serverName, enabled } = parse(toggleSchema, request);
  if (!(await mcp.setEnabled(serverName, enabled)))
    throw new Error(`there is no MCP server ${JSON.stringify(serverName)}`);
  if (enabled) assertConnected(serverName, mcp);
  return {};
}

function assertConnected(server: string, { states }: SessionServers): void {
  const state = states.find(({ name }) => name === server);
  if (state && state.status !== "connected") throw new Error(`${server}: ${state.error ?? state.status}`);
}

function parse<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(issue ? issueSentence(issue, "the request") : errorMessage(parsed.error));
}
