import type { McpServerState, McpServers } from "../../contracts/mcp.ts";
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

  /** Adds servers and starts them, without waiting. Of two of one name the first stands. */
  add(configs: readonly McpServerConfig[]): void {
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
    await connection?.close();
    if (connection) this.#tell();
    return connection !== undefined;
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
