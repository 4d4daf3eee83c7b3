import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Implementation } from "@modelcontextprotocol/sdk/types.js";
import { orAborted } from "@quoll/async/or-aborted";
import { z } from "zod";
import { errorMessage } from "../../../contracts/errors.ts";
import type { McpElicitation, McpElicitationReply, McpSampling, McpSamplingReply } from "../../../contracts/mcp.ts";
import type { JsonObject } from "../../../contracts/message.ts";
import type { Clock } from "../../../contracts/ports.ts";
import { MAX_TOOLS, type McpLimits } from "../mcp-limits.ts";
import { type McpCall, type ToolDefinition, toolDefinitionSchema } from "../tools/mcp-tool.ts";
import { callResultSchema } from "../tools/read-result.ts";
import type { OpenTransport } from "../transport/open-transport.ts";
import { CallWatch } from "./call-watch.ts";
import { listPages } from "./list-pages.ts";
import type { Sdk } from "./load-sdk.ts";
import { MessageRate } from "./message-rate.ts";
import { readSampling } from "./read-sampling.ts";
import { listenToServer, type ServerNotice } from "./server-notices.ts";

/** The code of a request that the user rejected (MCP, sampling). */
const REJECTED = -1;
/** The time limit of requests other than tool calls, whose limits are settings. */
const REQUEST_LIMIT_MS = 60_000;
/** The longest delay of a timer. The library's own limits are off, because ours apply. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/** The beginning of the library's error about an answer with an unknown id. */
const UNKNOWN_ANSWER = "Received a response for an unknown message ID";

const pageSchema = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional().catch(undefined) });
const elicitationSchema = z.object({
  message: z.string().catch(""),
  mode: z.enum(["form", "url"]).catch("form"),
  requestedSchema: z.record(z.string(), z.unknown()).optional().catch(undefined),
  url: z.string().optional().catch(undefined),
});

export type SessionDeps = {
  readonly server: string;
  readonly sdk: Sdk;
  readonly opened: OpenTransport;
  readonly clock: Clock;
  readonly limits: McpLimits;
  readonly version: string;
  roots(): readonly string[];
  /** Asks the person; undefined if nobody can be asked: questions are then declined at once. */
  readonly elicit: ((request: McpElicitation, signal: AbortSignal) => Promise<McpElicitationReply>) | undefined;
  /** Asks whether a server may use the model; undefined if nobody can be asked. */
  readonly sample: ((request: McpSampling, signal: AbortSignal) => Promise<McpSamplingReply>) | undefined;
  /** The server sent a notification. */
  onNotice(notice: ServerNotice): void;
  /** Called if the connection ended without a call of `close`. */
  onLost(): void;
};

export type ServerOffers = {
  /** True if the server announces changes of its tools. */
  readonly toolChanges: boolean;
  readonly resources: boolean;
  readonly subscriptions: boolean;
  readonly prompts: boolean;
  readonly completions: boolean;
  readonly logging: boolean;
};

export type ServerRequest = { readonly method: string; readonly params?: JsonObject };

export type ToolList = { readonly definitions: readonly ToolDefinition[]; readonly notes: readonly string[] };

/** One live connection, from its first message to its end; it is never reused. */
export class ClientSession {
  readonly #deps: SessionDeps;
  readonly #client: Client;
  /** Running calls. */
  readonly #calls = new Set<CallWatch>();
  /** Requests of the server that wait for an answer. */
  readonly #asking = new Set<{ ended(call: CallWatch): void }>();
  readonly #rate: MessageRate;
  #isClosing = false;
  #hasDropped = false;
  #hasDeclinedSampling = false;
  /** The server has asked for the roots. */
  #knowsRoots = false;
  #trouble: string | undefined;

  constructor(deps: SessionDeps) {
    const { sdk, version, onNotice } = deps;
    this.#deps = deps;
    this.#rate = new MessageRate(deps.clock);
    const elicitation = { form: { applyDefaults: true }, url: {} };
    const capabilities = {
      roots: { listChanged: true },
      ...(deps.elicit && { elicitation }),
      ...(deps.sample && { sampling: {} }),
    };
    this.#client = new sdk.Client({ name: "quoll", version }, { capabilities });
    this.#client.setRequestHandler(sdk.types.ListRootsRequestSchema, () => {
      this.#knowsRoots = true;
      return { roots: deps.roots().map(rootOf) };
    });
    if (deps.elicit)
      this.#client.setRequestHandler(sdk.types.ElicitRequestSchema, ({ params }, { signal }) =>
        this.#elicit(params, signal),
      );
    if (deps.sample)
      this.#client.setRequestHandler(sdk.types.CreateMessageRequestSchema, ({ params }, { signal }) =>
        this.#sample(params, signal),
      );
    this.#client.fallbackRequestHandler = async ({ method }) => {
      // Some servers ask although Quoll did not announce that a person is present.
      if (method === "elicitation/create") return { action: "decline" };
      if (method === "sampling/createMessage") throw this.#declineSampling();
      throw refusal(sdk.types.ErrorCode.MethodNotFound, "Method not found");
    };
    listenToServer(this.#client, sdk, onNotice);
    this.#client.onclose = () => {
      if (!this.#isClosing) deps.onLost();
    };
    this.#client.onerror = ({ message }) => {
      // This includes the late answer to a cancelled call, if the server ignored the cancellation.
      if (message.startsWith(UNKNOWN_ANSWER)) this.#notify("it answered a request that no longer waits, or never did");
      if (deps.opened.endsOnError && this.program) void deps.opened.transport.close();
    };
  }

  /** Tells a server that asked for the roots that they have changed. Waits for nothing: a remote server may take the message late, or never. */
  rootsChanged(): void {
    if (this.#knowsRoots && !this.#isClosing) this.#client.sendRootsListChanged().catch(() => undefined);
  }

  get program(): Pick<Implementation, "name" | "version" | "title" | "description"> | undefined {
    return this.#client.getServerVersion();
  }

  get instructions(): string | undefined {
    return this.#client.getInstructions();
  }

  /** @throws {Error} no connection, or no valid answer. Rejects with the abort reason when `signal` aborts. */
  async connect(signal: AbortSignal): Promise<void> {
    const { transport } = this.#deps.opened;
    await orAborted(this.#client.connect(transport, { timeout: NO_LIMIT_MS }), signal);
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => {
      if (!("method" in message) || this.#mayHandle()) onmessage?.(message, extra);
    };
  }

  /** The reason why this side ended the connection; undefined if it did not. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  #notify(data: string): void {
    this.#deps.onNotice({ kind: "log", level: "warning", logger: undefined, data });
  }

  /** False if the server sends too many messages. */
  #mayHandle(): boolean {
    const next = this.#rate.next();
    if (next === "handle") return true;
    if (!this.#hasDropped) {
      this.#hasDropped = true;
      this.#notify("it sends too many messages; some are dropped");
    }
    if (next === "flood" && this.#trouble === undefined) {
      this.#trouble = "it was disconnected because it sent more than 1,000 messages a second";
      void this.#deps.opened.transport.close();
    }
    return false;
  }

  /** The parts of the protocol that the server offers. */
  get offers(): ServerOffers {
    const { tools, resources, prompts, completions, logging } = this.#client.getServerCapabilities() ?? {};
    return {
      toolChanges: tools?.listChanged === true,
      resources: resources !== undefined,
      subscriptions: resources?.subscribe === true,
      prompts: prompts !== undefined,
      completions: completions !== undefined,
      logging: logging !== undefined,
    };
  }

  /** Asks the server to log messages of this level and above. A server that refuses keeps its own level. */
  setLogLevel(level: string): void {
    if (!this.offers.logging) return;
    const asked = this.#client.request({ method: "logging/setLevel", params: { level } }, z.unknown().optional());
    asked.catch(() => undefined);
  }

  /** All pages of the list. Invalid tools are left out and named in a note. */
  async listTools(signal: AbortSignal): Promise<ToolList> {
    if (!this.#client.getServerCapabilities()?.tools) return { definitions: [], notes: [] };
    const tools = new Map<string, ToolDefinition>();
    const notes: string[] = [];
    const listed = await listPages(async (params) => {
      const page = await this.request({ method: "tools/list", params }, pageSchema, signal);
      return { items: page.tools, nextCursor: page.nextCursor };
    }, MAX_TOOLS);
    for (const raw of listed) {
      const parsed = toolDefinitionSchema.safeParse(raw);
      if (!parsed.success) notes.push("a tool without a name was ignored");
      else if (tools.has(parsed.data.name))
        notes.push(`the tool ${parsed.data.name} is listed twice; the first entry is used`);
      else tools.set(parsed.data.name, parsed.data);
    }
    if (tools.size >= MAX_TOOLS) notes.push(`only its first ${MAX_TOOLS} tools are used`);
    return { definitions: [...tools.values()].slice(0, MAX_TOOLS), notes };
  }

  /**
   * A request besides calls of tools.
   * @throws {Error} the server refused, or its answer does not fit. Rejects with the abort reason when `signal` aborts;
   * the server is then notified.
   */
  async request<Schema extends z.ZodType>(
    { method, params = {} }: ServerRequest,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.infer<Schema>> {
    // Not the caller's own signal, because the library never removes its listener.
    const withdrawn = new AbortController();
    const onAbort = () => withdrawn.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      signal.throwIfAborted();
      const options = { timeout: REQUEST_LIMIT_MS, signal: withdrawn.signal };
      return await orAborted(this.#client.request({ method, params: { ...params } }, schema, options), signal);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /**
   * @param callMs The time limit of the whole call; undefined for no limit.
   * @throws {CallLimitError} the call took too long. Rejects with the abort reason when the call's signal aborts; the server is then notified.
   */
  async call({ tool, input, signal, report }: McpCall, callMs: number | undefined) {
    const { clock, limits } = this.#deps;
    const watch = new CallWatch({ clock, idleMs: limits.idleMs, callMs, signal, report });
    this.#calls.add(watch);
    try {
      const params = { name: tool, arguments: { ...input } };
      return await this.#client.request({ method: "tools/call", params }, callResultSchema, {
        // Not the caller's own signal, because the library never removes its listener.
        signal: watch.signal,
        timeout: NO_LIMIT_MS,
        onprogress: (progress) => watch.progress(progress),
      });
    } catch (error) {
      throw watch.signal.aborted ? watch.signal.reason : error;
    } finally {
      this.#calls.delete(watch);
      watch.end();
      for (const one of this.#asking) one.ended(watch);
    }
  }

  /** Never rejects. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#deps.opened.transport.close().catch(() => undefined);
  }

  /**
   * The request does not say for which call a person is asked, so the time limits of all calls of this server are
   * paused. The question is withdrawn when the last of these calls has ended, because nobody needs the answer any more.
   */
  async #whileCallsWait<Value>(signal: AbortSignal, ask: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const calls = new Set(this.#calls);
    const releases = [...calls].map((call) => call.hold());
    const over = new AbortController();
    const ended = (call: CallWatch) => {
      if (calls.delete(call) && calls.size === 0) over.abort(new Error("The tool call ended before the answer."));
    };
    const asking = { ended };
    this.#asking.add(asking);
    try {
      return await ask(AbortSignal.any([signal, over.signal]));
    } finally {
      this.#asking.delete(asking);
      for (const release of releases) release();
    }
  }

  async #sample(params: unknown, signal: AbortSignal) {
    const { sample, server, sdk } = this.#deps;
    const request = readSampling(server, params);
    if ("problem" in request || !sample)
      throw refusal(sdk.types.ErrorCode.InvalidParams, "problem" in request ? request.problem : "Nobody can answer.");
    const { text, model, stopReason } = await this.#whileCallsWait(signal, (until) => sample(request, until)).catch(
      (error) => {
        throw refusal(REJECTED, errorMessage(error));
      },
    );
    return { role: "assistant" as const, content: { type: "text" as const, text }, model, stopReason };
  }

  /** Some servers ask the model without checking whether they may. */
  #declineSampling(): Error {
    const reason = "Nobody in this session can allow a server to ask the model (sampling).";
    const { onNotice, sdk } = this.#deps;
    if (!this.#hasDeclinedSampling)
      onNotice({ kind: "log", level: "info", logger: "quoll", data: `declined its request to the model: ${reason}` });
    this.#hasDeclinedSampling = true;
    return refusal(sdk.types.ErrorCode.MethodNotFound, reason);
  }

  async #elicit(params: unknown, signal: AbortSignal) {
    const { elicit, server } = this.#deps;
    const parsed = elicitationSchema.safeParse(params);
    if (!elicit || !parsed.success) return { action: "decline" as const };
    const { message, mode, requestedSchema, url } = parsed.data;
    const request = {
      server,
      message,
      mode,
      ...(requestedSchema && { requestedSchema }),
      ...(url !== undefined && { url }),
    };
    const reply = await this.#whileCallsWait(signal, (until) => elicit(request, until));
    return reply.action === "accept" ? { action: reply.action, content: contentOf(reply.content) } : reply;
  }
}

/** An error answer for a server: the library sends the code and the message. */
function refusal(code: number, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Answers are flat: text, numbers, booleans and lists of text (MCP, elicitation). */
function contentOf(content: JsonObject = {}): Record<string, string | number | boolean | string[]> {
  const flat: [string, string | number | boolean | string[]][] = [];
  for (const [name, value] of Object.entries(content)) {
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") flat.push([name, value]);
    else if (Array.isArray(value)) flat.push([name, value.map(String)]);
  }
  return Object.fromEntries(flat);
}

function rootOf(path: string) {
  return { uri: pathToFileURL(path).href, name: basename(path) || path };
}
