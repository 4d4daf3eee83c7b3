import { isDeepStrictEqual } from "node:util";
import type { McpExchange, McpServerState, McpServers } from "../../contracts/mcp.ts";
import type { JsonObject } from "../../contracts/message.ts";
import type { Tool } from "../../contracts/tool.ts";
import type { OpenDeps } from "./open-session.ts";
import type { McpServerConfig } from "./server-config.ts";
import { ServerConnection } from "./server-connection.ts";
import { StartLanes } from "./start-lanes.ts";
import { serverPart } from "./tool-names.ts";

export type McpClientDeps = OpenDeps;

/** The servers of a session. Nothing of the protocol's library is loaded before the first one is added. */
export class McpClient implements McpServers {
  readonly #deps: McpClientDeps;
  readonly #connections = new Map<string, ServerConnection>();
  readonly #parts = new Set<string>();
  readonly #listeners = new Set<() => void>();
  readonly #local: StartLanes;
  readonly #remote: StartLanes;
  readonly #starts = new Set<Promise<void>>();
  /** Names of those that the next exchange may end. */
  readonly #exchangeable = new Set<string>();
  #exchange: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(deps: McpClientDeps) {
    this.#deps = deps;
    this.#local = new StartLanes(deps.limits.localStarts);
    this.#remote = new StartLanes(deps.limits.remoteStarts);
  }

  get states(): readonly McpServerState[] {
    return [...this.#connections.values()].map(({ state }) => state);
  }

  tools(): readonly Tool[] {
    return [...this.#connections.values()].flatMap(({ tools }) => tools);
  }

  /**
   * Adds servers and starts them, without waiting. Of two of one name the first stands. Those that live in the program that
   * drives us are its own to exchange.
   */
  add(configs: readonly McpServerConfig[]): void {
    for (const { kind, name } of configs) if (kind === "sdk") this.#exchangeable.add(name);
    for (const config of configs) {
      if (this.#closed || this.#connections.has(config.name)) continue;
      const part = serverPart(config.name, this.#parts);
      this.#parts.add(part);
      const connection = new ServerConnection({
        ...this.#deps,
        config: config.name.trim() === "" ? nameless(config) : config,
        part,
        lanes: config.kind === "stdio" ? this.#local : this.#remote,
        onChanged: () => this.#tell(),
      });
      this.#connections.set(config.name, connection);
      const start = connection.start().finally(() => this.#starts.delete(start));
      this.#starts.add(start);
    }
    if (configs.length > 0) this.#tell();
  }

  /** Ends a server and forgets it. Never rejects. @returns false when there is no such server. */
  async remove(name: string): Promise<boolean> {
    const connection = this.#connections.get(name);
    this.#connections.delete(name);
    this.#exchangeable.delete(name);
    await connection?.close();
    if (connection) this.#parts.delete(connection.part);
    if (connection) this.#tell();
    return connection !== undefined;
  }

  /**
   * Puts these servers in the place of those that came by an earlier exchange or live in the program that drives us, and waits
   * until each has come or failed. One that is the same as before stays as it is. Never rejects.
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
      return config !== undefined && isDeepStrictEqual(config, this.#connections.get(name)?.config);
    };
    const known = (name: string) => this.#connections.has(name);
    const removed = [...new Set([...this.#exchangeable, ...[...wanted.keys()].filter(known)])].filter(
      (name) => !stays(name),
    );
    await Promise.all(removed.map((name) => this.remove(name)));
    const added = [...wanted.keys()].filter((name) => !known(name));
    // What lives in the program may be another one of the same name by now.
    const renewed = configs.filter(({ kind, name }) => kind === "sdk" && known(name));
    this.add(configs);
    for (const name of wanted.keys()) this.#exchangeable.add(name);
    await Promise.all([this.settled(), ...renewed.map(({ name }) => this.reconnect(name))]);
    const failed = this.states.filter(({ name, status }) => wanted.has(name) && status !== "connected");
    const errors = failed.map(({ name, status, error }) => [name, error ?? status] as const);
    return { added, removed, errors: Object.fromEntries(errors.filter(([, why]) => why !== "disabled")) };
  }

  /** What the server `name` of the program that drives us sent on its own. @returns false when there is no such server. */
  receive(name: string, message: JsonObject): boolean {
    const connection = this.#connections.get(name);
    connection?.receive(message);
    return connection !== undefined;
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

  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#listeners.clear();
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()));
    this.#deps.orphans.close();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

function nameless(config: McpServerConfig): McpServerConfig {
  const intended = config.kind === "invalid" ? config.intended : config.kind;
  const problem = "it has no name: give it one, its tools are named after it";
  return { name: config.name, isDisabled: false, kind: "invalid", intended, problem };
}
