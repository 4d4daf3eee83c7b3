import { isDeepStrictEqual } from "node:util";
import { ToolFailedError } from "../../contracts/errors.ts";
import type {
  McpExchange,
  McpLoginPrompt,
  McpPrompt,
  McpResource,
  McpResourceTemplate,
  McpScope,
  McpServerState,
  McpServers,
} from "../../contracts/mcp.ts";
import type { JsonObject } from "../../contracts/message.ts";
import type { Tool, ToolResult } from "../../contracts/tool.ts";
import type { PendingServer } from "../../contracts/tool-offer.ts";
import { openVariable } from "./config/open-variable.ts";
import type { McpServerConfig } from "./config/server-config.ts";
import type { ConnectionDeps } from "./connection-deps.ts";
import { orSoon } from "./or-soon.ts";
import type { TypedValue } from "./prompts/complete-value.ts";
import type { NamedPrompt } from "./prompts/prompt-arguments.ts";
import type { PromptText } from "./prompts/read-prompt.ts";
import { ServerConnection } from "./server-connection.ts";
import { serverPart } from "./tools/tool-names.ts";

const NO_TOOLS: readonly Tool[] = [];

/** The MCP servers of a session. Loads the MCP library when the first server is added. */
export class McpClient implements McpServers {
  readonly #deps: ConnectionDeps;
  readonly #connections = new Map<string, ServerConnection>();
  readonly #parts = new Set<string>();
  readonly #listeners = new Set<() => void>();
  readonly #starts = new Set<Promise<void>>();
  /** Names of the servers that the next replacement may end. */
  readonly #exchangeable = new Set<string>();
  #exchange: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;
  #unfollow = () => {};

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
  }

  get states(): readonly McpServerState[] {
    return [...this.#connections.values()].map(({ state }) => state);
  }

  tools(): readonly Tool[] {
    return [...this.#connections.values()].flatMap(({ tools }) => tools);
  }

  /** The tools of one server; the same array until they change. */
  toolsOf(server: string): readonly Tool[] {
    return this.#connections.get(server)?.tools ?? NO_TOOLS;
  }

  /** The resources of all servers, and their templates. */
  resources(): readonly (McpResource | McpResourceTemplate)[] {
    return [...this.#connections.values()].flatMap(({ lists }) => [...lists.resources, ...lists.templates]);
  }

  /** The prompts of all servers, with the names of their commands. */
  prompts(): readonly NamedPrompt[] {
    return [...this.#connections.values()].flatMap(({ prompts }) => prompts);
  }

  /** The end of a running server's stderr, as its program wrote it. */
  stderrOf(server: string): string {
    return this.#connections.get(server)?.stderr ?? "";
  }

  /** @throws {ToolFailedError} the server is not connected, or it refused. */
  async getPrompt(
    { server, name }: McpPrompt,
    values: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<PromptText> {
    return this.#connection(server).content.getPrompt(name, values, signal);
  }

  /** The server's suggestions for an argument of its prompt. Never rejects. */
  completeArgument(
    { server, name }: McpPrompt,
    typed: Omit<TypedValue, "of">,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const connection = this.#connections.get(server);
    return connection?.complete({ ...typed, of: { prompt: name } }, signal) ?? Promise.resolve([]);
  }

  /**
   * URIs that continue a typed URI by a template of the server: with the server's suggestions for the variable being
   * typed, and with the rest of the template. Never rejects.
   */
  async completeUri(server: string, typed: string, signal: AbortSignal): Promise<readonly string[]> {
    const connection = this.#connections.get(server);
    const found = connection?.lists.templates.map(async ({ uriTemplate }) => {
      const open = openVariable(uriTemplate, typed);
      if (!open) return [];
      const values = await connection.complete({ ...open, of: { template: uriTemplate } }, signal);
      return values.map(open.filled);
    });
    return [...new Set((await Promise.all(found ?? [])).flat())];
  }

  prefixOf(server: string): string | undefined {
    return this.#connections.get(server)?.state.toolPrefix;
  }

  /** @throws {ToolFailedError} if there is no such server, it is not connected, or it refused. */
  async readResource(server: string, uri: string, signal: AbortSignal): Promise<ToolResult> {
    return this.#connection(server).content.readResource(uri, signal);
  }

  /** Reads a resource in the server's original form: for a program, not for a model. */
  async rawResource(server: string, uri: string, signal: AbortSignal): Promise<readonly unknown[]> {
    return this.#connection(server).content.rawResource(uri, signal);
  }

  /** The purpose that a server states, by the prefix of its tools' names; undefined if it states none. */
  purposeOf(prefix: string): string | undefined {
    return [...this.#connections.values()].find(({ state }) => state.toolPrefix === prefix)?.state.program?.about;
  }

  /** Servers that are starting and have not listed their tools yet. */
  pending(): readonly PendingServer[] {
    return [...this.#connections.values()]
      .filter(({ state, tools }) => state.status === "pending" && tools.length === 0)
      .map(({ name, server: { config } }) => ({ name, tokens: this.#deps.sizes?.tokensOf(config) }));
  }

  /** Waits a short time for these servers if they are starting, because a request follows. Never rejects. */
  async startedSoon(names: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const starting = [...this.#connections.values()].filter(
      ({ name, state }) => names.has(name) && state.status === "pending",
    );
    if (starting.length === 0) return;
    const starts = starting.map((connection) => connection.start());
    await orSoon(starts, this.#deps.clock, signal);
  }

  /** Waits for lists that are being read again, but not long: a request follows. Never rejects. */
  async listed(signal: AbortSignal): Promise<void> {
    const lists = [...this.#connections.values()].flatMap(({ listing }) => listing ?? []);
    if (lists.length === 0) return;
    await orSoon(lists, this.#deps.clock, signal);
  }

  /**
   * Adds and starts servers, without waiting. Of two servers with the same name, the first is used. Servers in the
   * program that drives us can be replaced by that program.
   */
  add(configs: readonly McpServerConfig[]): void {
    for (const { kind, name } of configs) if (kind === "sdk") this.#exchangeable.add(name);
    for (const config of configs) {
      if (this.#closed || this.#connections.has(config.name)) continue;
      const part = serverPart(config.name, this.#parts);
      this.#parts.add(part);
      const connection = new ServerConnection(this.#deps, {
        config: config.name.trim() === "" ? nameless(config) : config,
        part,
        onChanged: () => this.#notify(),
      });
      this.#connections.set(config.name, connection);
      const start = connection.start().finally(() => this.#starts.delete(start));
      this.#starts.add(start);
    }
    if (configs.length > 0) this.#notify();
  }

  /** Ends and removes a server. Never rejects. @returns false if there is no such server. */
  async remove(name: string): Promise<boolean> {
    const connection = this.#connections.get(name);
    this.#connections.delete(name);
    this.#exchangeable.delete(name);
    if (connection) this.#notify();
    await connection?.close();
    if (connection) this.#parts.delete(connection.server.part);
    return connection !== undefined;
  }

  /**
   * Replaces the servers of some scopes: ends servers that were removed or have changed, and starts new servers,
   * without waiting. Never rejects.
   * @returns the names.
   */
  async sync(configs: readonly McpServerConfig[], scopes: readonly McpScope[]) {
    const wanted = new Map(configs.map((config) => [config.name, config]));
    const gone = [...this.#connections.values()].filter(
      ({ server: { config } }) =>
        scopes.includes(config.scope ?? "flag") && !isDeepStrictEqual(config, wanted.get(config.name)),
    );
    const removed = gone.map(({ name }) => name);
    await Promise.all(removed.map((name) => this.remove(name)));
    const added = [...wanted.keys()].filter((name) => !this.#connections.has(name));
    this.add(configs);
    return { added, removed };
  }

  /**
   * Replaces the servers of an earlier replacement and those in the program that drives us, and waits
   * until each is connected or has failed. An unchanged server keeps running. Never rejects.
   */
  exchange(configs: readonly McpServerConfig[]): Promise<McpExchange> {
    const done = this.#exchange.then(() => this.#doExchange(configs));
    this.#exchange = done;
    return done;
  }

  async #doExchange(configs: readonly McpServerConfig[]): Promise<McpExchange> {
    const wanted = new Map(configs.map((config) => [config.name, config]));
    const stays = (name: string) => {
      const config = wanted.get(name);
      return config !== undefined && isDeepStrictEqual(config, this.#connections.get(name)?.server.config);
    };
    const known = (name: string) => this.#connections.has(name);
    const removed = [...new Set([...this.#exchangeable, ...[...wanted.keys()].filter(known)])].filter(
      (name) => !stays(name),
    );
    await Promise.all(removed.map((name) => this.remove(name)));
    const added = [...wanted.keys()].filter((name) => !known(name));
    // A server inside the program may be a different server with the same name.
    const renewed = configs.filter(({ kind, name }) => kind === "sdk" && known(name));
    this.add(configs);
    for (const name of wanted.keys()) this.#exchangeable.add(name);
    await Promise.all([this.settled(), ...renewed.map(({ name }) => this.reconnect(name))]);
    const failed = this.states.filter(({ name, status }) => wanted.has(name) && status !== "connected");
    const errors = failed.map(({ name, status, error }) => [name, error ?? status] as const);
    return { added, removed, errors: Object.fromEntries(errors.filter(([, why]) => why !== "disabled")) };
  }

  /** Passes on a message that the server `name` in the program sent on its own. @returns false if there is no such server. */
  receive(name: string, message: JsonObject): boolean {
    const connection = this.#connections.get(name);
    connection?.receive(message);
    return connection !== undefined;
  }

  /** Tells the servers that asked for the session's folders that there are others now. Waits for no server. */
  rootsChanged(): void {
    for (const connection of this.#connections.values()) connection.rootsChanged();
  }

  /** The first server that the session requires and that is not connected. */
  get missingRequired(): McpServerState | undefined {
    return this.#required().find(({ state }) => state.status !== "connected")?.state;
  }

  /** Resolves when each required server has connected or failed. Never rejects. */
  async requiredSettled(): Promise<void> {
    await Promise.all(this.#required().map((connection) => connection.start()));
  }

  #required(): readonly ServerConnection[] {
    return [...this.#connections.values()].filter(({ server: { config } }) => config.isRequired && !config.isDisabled);
  }

  /**
   * Waits until the server whose prompts and tools have this prefix has connected or failed, at most until its start
   * limit. Never rejects.
   * @returns the server's state; undefined if no server has this prefix.
   */
  async startedBy(name: string): Promise<McpServerState | undefined> {
    const connection = [...this.#connections.values()].find(({ state }) => name.startsWith(state.toolPrefix));
    await connection?.start();
    return connection?.state;
  }

  async settled(): Promise<void> {
    while (this.#starts.size > 0) await Promise.all(this.#starts);
  }

  async reconnect(name: string): Promise<boolean> {
    const connection = this.#connections.get(name);
    await connection?.restart();
    return connection !== undefined;
  }

  async setEnabled(name: string, enabled: boolean): Promise<boolean> {
    const connection = this.#connections.get(name);
    await connection?.setEnabled(enabled);
    return connection !== undefined;
  }

  async logIn(name: string, prompt: McpLoginPrompt, signal: AbortSignal): Promise<string> {
    const { connection, logins } = this.#loginOf(name);
    const line = await logins.logIn(connection.server.config, prompt, signal);
    await connection.restart();
    return line;
  }

  async logOut(name: string, signal: AbortSignal): Promise<string> {
    const { connection, logins } = this.#loginOf(name);
    const line = await logins.logOut(connection.server.config, signal);
    await connection.leave();
    return line;
  }

  #loginOf(name: string) {
    const connection = this.#connections.get(name);
    const { logins } = this.#deps;
    if (!connection || !logins) throw new Error(`there is no MCP server ${JSON.stringify(name)} that takes a login`);
    return { connection, logins };
  }

  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends the servers when `signal` aborts, unless they were closed before. */
  closeWith(signal: AbortSignal): void {
    const onAbort = () => void this.close();
    signal.addEventListener("abort", onAbort, { once: true });
    this.#unfollow = () => signal.removeEventListener("abort", onAbort);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#unfollow();
    this.#listeners.clear();
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()));
  }

  #connection(name: string): ServerConnection {
    const connection = this.#connections.get(name);
    if (!connection) throw new ToolFailedError(`There is no MCP server ${JSON.stringify(name)}.`);
    return connection;
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

function nameless(config: McpServerConfig): McpServerConfig {
  const intended = config.kind === "invalid" ? config.intended : config.kind;
  const problem = "it has no name: add one, because its tools are named after it";
  return { name: config.name, isDisabled: false, kind: "invalid", intended, problem };
}
