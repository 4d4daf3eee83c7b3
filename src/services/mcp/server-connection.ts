import { orAborted } from "@quoll/async/or-aborted";
import { oneLine } from "@quoll/terminal-text/one-line";
import { errorMessage, ToolFailedError } from "../../contracts/errors.ts";
import type { McpServerState, McpServerStatus } from "../../contracts/mcp.ts";
import type { JsonObject } from "../../contracts/message.ts";
import type { Tool, ToolResult } from "../../contracts/tool.ts";
import { CANCELLED, callFailure, isForgottenSession } from "./call-failure.ts";
import { CallRemedies } from "./call-remedies.ts";
import type { ConfiguredServer, ConnectionDeps } from "./connection-deps.ts";
import { loginAdvice, loginNeed } from "./login-need.ts";
import { LIST_GRACE_MS, MAX_FAILURES_IN_A_ROW } from "./mcp-limits.ts";
import { orSoon } from "./or-soon.ts";
import { completeValue, type TypedValue } from "./prompts/complete-value.ts";
import type { NamedPrompt } from "./prompts/prompt-arguments.ts";
import { limitedElicit, QuestionLimit } from "./question-limit.ts";
import { ReconnectSchedule } from "./reconnect-schedule.ts";
import { type Outcome, type ServerFacts, serverFacts } from "./server-facts.ts";
import type { ClientSession } from "./session/client-session.ts";
import {
  type OpenedSession,
  type StartListeners,
  startServer,
  type UsableConfig,
} from "./session/open-client-session.ts";
import { ServerContent } from "./session/server-content.ts";
import { ServerLists } from "./session/server-lists.ts";
import { ServerLog, type ServerNotice } from "./session/server-notices.ts";
import type { McpCall } from "./tools/mcp-tool.ts";
import { checkedResult, readCallResult } from "./tools/read-result.ts";
import { ServerTools } from "./tools/server-tools.ts";
import { ToolNames } from "./tools/tool-names.ts";
import type { SdkTransport } from "./transport/sdk-transport.ts";
import { httpStatus, McpStartError } from "./transport/session-error.ts";

/** One configured server through its whole life cycle: started, lost, restarted, closed. */
export class ServerConnection {
  readonly #deps: ConnectionDeps;
  readonly server: ConfiguredServer;
  /** Reads its prompts and resources. */
  readonly content: ServerContent;
  readonly #names: ToolNames;
  readonly #promptNames: ToolNames;
  readonly #shownName: string;
  readonly #closing = new AbortController();
  readonly #tools: ServerTools;
  readonly #lists: ServerLists;
  readonly #log: ServerLog;
  readonly #reconnects: ReconnectSchedule;
  readonly #questions: QuestionLimit;
  readonly #elicit: ConnectionDeps["elicit"];
  readonly #remedies: CallRemedies;
  readonly #endings = new Set<Promise<void>>();
  #isOff: boolean;
  #outcome: Outcome = { status: "pending", error: undefined, isLate: false };
  #live: OpenedSession | undefined;
  #facts: ServerFacts = {};
  /** Set before the first message, because the server may ask a question before it has answered. */
  #sdk: SdkTransport | undefined;
  #starting: Promise<void> | undefined;
  /** Consecutive requests that a remote server did not answer. */
  #failures = 0;

  constructor(deps: ConnectionDeps, server: ConfiguredServer) {
    this.#deps = deps;
    this.server = server;
    const { config, part, onChanged } = server;
    this.#questions = new QuestionLimit(deps.clock);
    this.#elicit = deps.elicit && limitedElicit(deps.elicit, this.#questions, () => this.#notifyOfQuestions());
    this.#names = new ToolNames(part);
    this.#promptNames = new ToolNames(part);
    this.#shownName = oneLine(config.name, 60);
    this.#tools = new ServerTools({
      config,
      shownServer: this.#shownName,
      names: this.#names,
      sizes: deps.sizes,
      limitMs: deps.limits.startMs,
      closing: this.#closing.signal,
      onChanged,
      live: () => this.#live,
      call: (call) => this.#call(call),
    });
    this.#lists = new ServerLists(config.name, onChanged);
    this.content = new ServerContent({
      saveContent: deps.saveContent,
      exchange: (signal, send) => this.#exchange(signal, send),
    });
    const { onLog } = deps;
    this.#log = new ServerLog(onLog && ((line) => onLog(config.name, line)));
    this.#reconnects = new ReconnectSchedule({
      clock: deps.clock,
      signal: this.#closing.signal,
      reconnect: () => this.start().then(() => this.#outcome.status !== "failed"),
    });
    this.#remedies = new CallRemedies({
      config,
      clock: deps.clock,
      logins: deps.logins,
      elicit: this.#elicit,
    });
    this.#isOff = config.isDisabled;
    if (config.isDisabled) this.#end("disabled", undefined);
    else if (config.kind === "invalid") this.#end("failed", config.problem);
  }

  get name(): string {
    return this.server.config.name;
  }

  get state(): McpServerState {
    const { config } = this.server;
    const { status, error, isLate } = this.#outcome;
    return {
      name: config.name,
      kind: config.kind === "invalid" ? config.intended : config.kind,
      scope: config.scope ?? "flag",
      status,
      ...(this.#live?.opened.login?.hasToken && { hasLogin: true as const }),
      ...(error !== undefined && { error }),
      ...(isLate && { isLate: true as const }),
      toolPrefix: this.#names.prefix,
      tools: this.#tools.tools.length,
      ...this.#facts,
      ...this.#lists.counts,
      ...(this.#log.warnings.length > 0 && { warnings: this.#log.warnings }),
      notes: [...this.#tools.notes, ...this.#lists.notes],
    };
  }

  /** The end of the running program's stderr; empty for a server without a program. */
  get stderr(): string {
    return this.#live?.opened.stdio?.stderr ?? "";
  }

  get tools(): readonly Tool[] {
    return this.#tools.tools;
  }

  /** Resolves when the lists that the server has changed are read; undefined if none is being read. */
  get listing(): Promise<unknown> | undefined {
    const running = [this.#tools.reading, this.#lists.reading].flatMap((one) => one ?? []);
    return running.length === 0 ? undefined : Promise.all(running);
  }

  get lists(): Pick<ServerLists, "resources" | "templates" | "prompts"> {
    return this.#lists;
  }

  /** The prompts, with the names of their commands. The objects stay the same until the server lists different ones. */
  get prompts(): readonly NamedPrompt[] {
    const { prompts } = this.#lists;
    const names = this.#promptNames.assign(prompts.map(({ name }) => name));
    return prompts.map((prompt, at) => ({ command: names[at] ?? prompt.name, prompt }));
  }

  /** Suggestions for a value that a person types; none unless the server is connected. Never rejects. */
  complete(typed: TypedValue, signal: AbortSignal): Promise<readonly string[]> {
    return completeValue(this.#live?.session, typed, { clock: this.#deps.clock, signal });
  }

  /**
   * Starts the server, unless it is running or can't be started. Never rejects; the state shows the result.
   * @param isRetry True if a person asks for another attempt, which includes a server that recently needed a login.
   */
  start(isRetry = false): Promise<void> {
    const { config } = this.server;
    if (config.kind === "invalid" || this.#isOff || this.#closing.signal.aborted) return Promise.resolve();
    if (this.#live) return Promise.resolve();
    this.#starting ??= this.#start(config, isRetry).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /** Stops and restarts the server. Never rejects. */
  async restart(): Promise<void> {
    this.#reconnects.reset();
    await this.#starting;
    await this.#drop();
    await this.start(true);
  }

  /** Ends the connection of a server whose login was removed. Never rejects. */
  async leave(): Promise<void> {
    await this.#starting;
    await this.#drop();
    this.#tools.clear();
    this.#end("needs-auth", `it needs a login: ${loginAdvice(this.name)}`);
  }

  /** Disables the server, tools included, or enables and starts it. Never rejects. */
  async setEnabled(enabled: boolean): Promise<void> {
    this.#isOff = !enabled;
    this.#reconnects.reset();
    const { config } = this.server;
    if (enabled && config.kind === "invalid") this.#end("failed", config.problem);
    if (enabled) return this.start();
    await this.#starting;
    await this.#drop();
    if (!this.#isOff) return;
    this.#tools.clear();
    this.#lists.clear();
    this.#end("disabled", undefined);
  }

  /** A message that a server in the program that drives us sent on its own. */
  receive(message: JsonObject): void {
    this.#sdk?.receive(message);
  }

  readonly rootsChanged = (): void => this.#live?.session.rootsChanged();

  /** Ends the connection and everything that was started for it. Never rejects. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("The session ends."));
    await this.#starting;
    await this.#drop();
    await Promise.all(this.#endings);
  }

  async #start(config: UsableConfig, isRetry: boolean): Promise<void> {
    const { signal } = this.#closing;
    this.#end("pending", undefined);
    try {
      const started = await startServer(config, { deps: this.#deps, listeners: this.#listeners(isRetry) }, signal);
      const { opened } = started;
      this.#live = opened;
      this.#failures = 0;
      this.#facts = serverFacts(opened.session);
      this.#tools.take(opened, opened.list);
      opened.session.setLogLevel(this.#log.level);
      const reading = this.#lists.readOffered(opened.session, signal);
      // A slow server is connected before these lists are read.
      if (reading) await orSoon([reading], this.#deps.clock, signal);
      this.#end("connected", undefined);
      this.#reconnects.connected();
      if (started.isLost) this.#lost(opened);
      else this.#tools.readAgain();
    } catch (error) {
      const { needsAuth, isLate } = error instanceof McpStartError ? error : { needsAuth: false, isLate: false };
      this.#end(needsAuth ? "needs-auth" : "failed", oneLine(errorMessage(error), 600), isLate);
    }
  }

  #listeners(isRetry: boolean): StartListeners {
    return {
      elicit: this.#elicit,
      isRetry,
      onTransport: ({ sdk }) => {
        this.#sdk = sdk;
      },
      onNotice: (notice) => this.#takeNotice(notice),
      onLost: (opened) => this.#lost(opened),
    };
  }

  #notifyOfQuestions(): void {
    const data = "it asks too many questions; some were declined";
    if (this.#log.add({ kind: "log", level: "warning", logger: undefined, data })) this.server.onChanged();
  }

  #takeNotice(notice: ServerNotice): void {
    const session = this.#live?.session;
    if (notice.kind === "list" && notice.list === "tools") this.#tools.changed();
    else if (notice.kind === "list" && session) {
      const names = notice.list === "prompts" ? (["prompts"] as const) : (["resources", "templates"] as const);
      void this.#lists.read(names, session, this.#closing.signal);
    } else if (notice.kind === "updated") {
      if (session && this.content.isWatched(notice.uri, session)) this.#deps.onResourceUpdated?.(this.name, notice.uri);
    } else if (notice.kind === "completed") this.#remedies.completed(notice.elicitationId);
    else if (notice.kind === "log" && this.#log.add(notice)) this.server.onChanged();
  }

  async #call(call: McpCall): Promise<ToolResult> {
    const answer = await this.#exchange(call.signal, (live) => this.#request(live, call));
    if (!answer) return { content: CANCELLED, isError: true };
    const result = await readCallResult(answer, this.#deps.saveContent);
    const { maxOutputTokens: maxTokens } = this.server.config;
    return checkedResult(result, { problem: call.checkOutput?.(answer), maxTokens });
  }

  /**
   * Sends a request, and repeats it once if the server has forgotten the session, or if a person has resolved the
   * reason for a refusal.
   * @returns undefined if the caller has aborted.
   */
  async #exchange<Answer>(signal: AbortSignal, send: (live: OpenedSession) => Promise<Answer>) {
    const live = await this.#connected(signal);
    try {
      return await send(live);
    } catch (error) {
      if (signal.aborted) return this.#questions.withdraw();
      const isForgotten = isForgottenSession(error) && live.opened.transport.sessionId !== undefined;
      if (isForgotten && this.#live === live) await this.#drop();
      const { login } = live.opened;
      if (!isForgotten && !(await this.#remedies.settle({ error, login }, signal))) throw this.#failed(error, live);
    }
    const again = await this.#connected(signal);
    try {
      return await send(again);
    } catch (error) {
      if (signal.aborted) return this.#questions.withdraw();
      throw this.#failed(error, again);
    }
  }

  async #request({ session }: OpenedSession, call: McpCall) {
    const answer = await session.call(call, this.server.config.callTimeoutMs ?? this.#deps.limits.callMs);
    this.#failures = 0;
    // The next request to the model should know the tools that this result speaks of.
    if (session.offers.toolChanges) await this.#deps.clock.sleep(LIST_GRACE_MS, call.signal).catch(() => undefined);
    return answer;
  }

  /** The live session. A lost server is restarted once, for all waiting calls. */
  async #connected(signal: AbortSignal): Promise<OpenedSession> {
    if (this.#live && this.#failures >= MAX_FAILURES_IN_A_ROW) await this.#drop();
    if (!this.#live && this.#outcome.status !== "needs-auth") await orAborted(this.start(), signal);
    if (this.#live) return this.#live;
    const why = this.#closing.signal.aborted ? "the session ends" : (this.#outcome.error ?? "it was not started");
    throw new ToolFailedError(`The MCP server "${this.#shownName}" is not connected: ${why}. Nothing was run.`);
  }

  #failed(error: unknown, live: OpenedSession): ToolFailedError {
    const lost = this.#live === live ? undefined : (this.#outcome.error ?? "the connection was closed");
    const isProgram = live.opened.stdio !== undefined;
    const need = live.opened.login && loginNeed(live.opened.login, { name: this.name, error });
    if (need !== undefined && httpStatus(error) === 401 && this.#live === live) {
      void this.#drop();
      this.#end("needs-auth", need);
    }
    const failure = callFailure({ error, server: this.#shownName, lost, isProgram, need });
    this.#failures = failure.isUnreached ? this.#failures + 1 : 0;
    return failure.error;
  }

  #lost(opened: OpenedSession): void {
    if (this.#live !== opened || this.#closing.signal.aborted) return;
    this.#live = undefined;
    const reason = opened.session.trouble ?? opened.opened.stdio?.reason ?? "the connection was closed";
    this.#finish(opened.session);
    this.#end("failed", oneLine(reason, 600));
    this.#reconnects.lost();
  }

  /** Ends the live session, if there is one. */
  async #drop(): Promise<void> {
    const live = this.#live;
    this.#live = undefined;
    if (live) await this.#finish(live.session);
  }

  #finish(session: ClientSession): Promise<void> {
    const ending: Promise<void> = session.close().finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
    return ending;
  }

  #end(status: McpServerStatus, error: string | undefined, isLate = false): void {
    this.#outcome = { status, error, isLate };
    if (!this.#closing.signal.aborted) this.server.onChanged();
  }
}
