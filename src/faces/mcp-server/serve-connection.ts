import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ElicitResultSchema,
  ErrorCode,
  ListToolsRequestSchema,
  type ServerNotification,
  type ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";
import { Semaphore } from "@quoll/async/semaphore";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { EngineEvent, PermissionDenial } from "../../contracts/event.ts";
import type { McpElicitation, McpElicitationReply } from "../../contracts/mcp.ts";
import { callOf, type Question } from "../../contracts/question.ts";
import type { AgentRequest, ServedSession } from "../../contracts/served-session.ts";
import { AGENT_TOOL, agentResult, readAgentRequest } from "./agent-tool.ts";
import { CallProgress } from "./call-progress.ts";
import { exportedTools, exportsAgent, listTools, type ToolFilter } from "./exported-tools.ts";
import instructions from "./instructions.md" with { type: "text" };
import { QuestionRouter } from "./question-router.ts";
import { callResult } from "./result-content.ts";

/** The maximum length of a client's message. */
export const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
/** A person may take hours to answer; this is the maximum delay of a timer. */
const ANSWER_MS = 2 ** 31 - 1;

type Elicit = (request: McpElicitation, signal: AbortSignal) => Promise<McpElicitationReply>;

export type ServePorts = {
  readonly version: string;
  readonly filter: ToolFilter;
  /**
   * Opens the session of a connection.
   * @param elicit Asks the client's person on behalf of a server that Quoll uses; undefined if the client can show no
   * questions.
   * @throws {UserFacingError} a setting or an option is wrong.
   */
  open(elicit: Elicit | undefined): Promise<ServedSession>;
  newId(): string;
  /** The options that would allow the denied calls, in one line. */
  remedy(denials: readonly PermissionDenial[]): string | undefined;
  /** Called once if the session can't be opened. */
  failed(error: unknown): void;
};

export type ServedConnection = {
  /** Ends the calls, the session and the connection. */
  close(): Promise<void>;
  /** Resolves when the client or `close` has ended the connection. */
  readonly ended: Promise<void>;
  /** True while a call runs. */
  readonly isBusy: boolean;
};

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;
type Opened = { readonly session: ServedSession; readonly router: QuestionRouter };

/** Serves one client over a transport, in a separate session. */
export async function serveConnection(transport: Transport, ports: ServePorts): Promise<ServedConnection> {
  const connection = new Connection(ports);
  await connection.start(transport);
  return connection;
}

class Connection implements ServedConnection {
  readonly #ports: ServePorts;
  readonly #server: Server;
  readonly #over = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  /** Calls that change something run one at a time. */
  readonly #changes = new Semaphore(1);
  #opening: Promise<Opened> | undefined;
  #running = 0;

  constructor(ports: ServePorts) {
    this.#ports = ports;
    const { version } = ports;
    this.#server = new Server(
      { name: "quoll", title: "Quoll", version },
      { capabilities: { tools: { listChanged: true }, logging: {} }, instructions: instructions.trim() },
    );
    this.#server.setRequestHandler(ListToolsRequestSchema, async () => {
      const { session } = await this.#opened();
      return { tools: listTools(session.tools(), ports.filter) };
    });
    this.#server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
      this.#call(params.name, params.arguments ?? {}, extra),
    );
    this.#server.oninitialized = () => {
      // The library's client ignores the cancellation of request 0, so no question may use this number.
      void this.#server.ping().catch(() => undefined);
      void this.#opened().catch(() => undefined);
    };
    this.#server.onclose = () => void this.#end();
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get isBusy(): boolean {
    return this.#running > 0;
  }

  start(transport: Transport): Promise<void> {
    return this.#server.connect(transport);
  }

  async close(): Promise<void> {
    await this.#server.close();
    await this.#end();
  }

  #opened(): Promise<Opened> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #forward(request: McpElicitation, signal: AbortSignal): Promise<McpElicitationReply> {
    const { router } = await this.#opened();
    return router.forward(request, signal);
  }

  async #open(): Promise<Opened> {
    const { elicitation, roots } = this.#server.getClientCapabilities() ?? {};
    // A client that names no kind of form supports the first kind.
    const canAsk = elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
    const forward: Elicit = (request, signal) => this.#forward(request, signal);
    const session = await this.#ports.open(canAsk ? forward : undefined).catch((error: unknown) => {
      this.#ports.failed(error);
      throw new Error(errorMessage(error), { cause: error });
    });
    session.onToolsChanged(() => void this.#server.sendToolListChanged().catch(() => undefined));
    session.onNotice((line) => this.#log(line));
    if (roots) void this.#compareRoots(session);
    const router = new QuestionRouter(session.questions, {
      canOpen: elicitation?.url !== undefined,
      newId: () => this.#ports.newId(),
      notify: (line) => this.#log(line),
    });
    return { session, router };
  }

  async #call(name: string, input: Readonly<Record<string, unknown>>, extra: Extra): Promise<CallToolResult> {
    const { session, router } = await this.#opened();
    const { filter } = this.#ports;
    const progress = new CallProgress({ token: extra._meta?.progressToken, send: extra.sendNotification });
    const signal = AbortSignal.any([extra.signal, this.#over.signal]);
    const emit = (event: EngineEvent) => this.#take(event, progress);
    const request = { session, router, extra, signal, emit };
    this.#running += 1;
    try {
      if (name === AGENT_TOOL && exportsAgent(filter)) return await this.#runAgent(input, request);
      const tool = exportedTools(session.tools(), filter).find(({ spec }) => spec.name === name);
      if (!tool) throw new InvalidParamsError(`There is no tool "${name}" here.`);
      const { level } = tool.spec;
      const run = () => this.#runTool({ name, input }, request);
      return await (level === "write" || level === "execute" ? this.#changes.run(run) : run());
    } finally {
      this.#running -= 1;
      progress.stop();
    }
  }

  async #runTool(call: { readonly name: string; readonly input: Readonly<Record<string, unknown>> }, request: Running) {
    const id = this.#ports.newId();
    const unseen: PermissionDenial[] = [];
    const closeQuestions = openQuestions(id, request, (question) => unseen.push(unseenDenial(question)));
    try {
      const result = await request.session.call({ id, ...call }, request);
      return callResult(result, this.#ports.remedy([...result.denials, ...unseen]));
    } finally {
      closeQuestions();
    }
  }

  async #runAgent(raw: unknown, request: Running): Promise<CallToolResult> {
    const wanted = readAgentRequest(raw);
    if ("problem" in wanted) return failure(wanted.problem);
    const denials: PermissionDenial[] = [];
    const emit = (event: EngineEvent) => {
      if (event.type === "permission_denied") denials.push(event.denial);
      request.emit(event);
    };
    const { session, router, extra, signal } = request;
    const agent = await openAgent(wanted, { session, router, extra, signal, emit });
    if ("problem" in agent) return failure(agent.problem);
    const closeQuestions = openQuestions(agent.id, request, (question) => denials.push(unseenDenial(question)));
    try {
      return agentResult(await agent.run(), this.#ports.remedy(denials));
    } finally {
      closeQuestions();
    }
  }

  #take(event: EngineEvent, progress: CallProgress): void {
    progress.note(event);
    if (event.type === "notice") this.#log(event.message);
  }

  #log(line: string): void {
    void this.#server.sendLoggingMessage({ level: "notice", logger: "quoll", data: line }).catch(() => undefined);
  }

  /** The client's roots never widen the folders of the session: only the person who started the server does that. */
  async #compareRoots({ folders }: ServedSession): Promise<void> {
    const answer = await this.#server.listRoots().catch(() => undefined);
    const other = (answer?.roots ?? []).filter(({ uri }) => !folders.some((folder) => isBelow(uri, folder)));
    if (other.length === 0) return;
    const names = other.map(({ uri }) => uri).join(", ");
    this.#log(`Quoll works in ${folders.join(", ")}. To let it work in ${names} too, start it with --add-dir.`);
  }

  async #end(): Promise<void> {
    if (this.#over.signal.aborted) return this.#ended.promise;
    this.#over.abort(new Error("The connection is closed."));
    const opened = await this.#opening?.catch(() => undefined);
    opened?.router.close();
    await opened?.session.close();
    this.#ended.resolve();
  }
}

/**
 * The library takes the code and the message from these fields; its own error class would put the code into the
 * message.
 */
class InvalidParamsError extends Error {
  override name = "InvalidParamsError";
  readonly code = ErrorCode.InvalidParams;
}

type Running = Opened & {
  readonly extra: Extra;
  readonly signal: AbortSignal;
  emit(event: EngineEvent): void;
};

/** A refusal that no person may have seen, with the rules that would allow the call in advance. */
function unseenDenial(question: Question): PermissionDenial {
  const { toolName = "", toolUseId = "" } = callOf(question) ?? {};
  const rules = question.body.kind === "permission" ? question.body.suggestions : [];
  const remedy = rules.length > 0 && { remedy: { kind: "rules", rules } as const };
  return { toolName, toolUseId, input: {}, decidedBy: { kind: "person" }, unanswered: true, ...remedy };
}

function openQuestions(
  id: string,
  { router, signal, extra }: Running,
  closed: (question: Question) => void = () => undefined,
): () => void {
  return router.open({
    id,
    signal,
    closed,
    elicit: (params, until) =>
      extra.sendRequest({ method: "elicitation/create", params }, ElicitResultSchema, {
        signal: until,
        timeout: ANSWER_MS,
      }),
  });
}

async function openAgent(wanted: AgentRequest, { session, signal, emit }: Running) {
  try {
    return await session.openAgent(wanted, { signal, emit });
  } catch (error) {
    if (error instanceof UserFacingError) return { problem: error.message };
    throw error;
  }
}

function failure(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function isBelow(uri: string, folder: string): boolean {
  const path = URL.canParse(uri) ? decodeURIComponent(new URL(uri).pathname) : uri;
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
