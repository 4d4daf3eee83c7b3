import { oneLine } from "@quoll/terminal-text/one-line";
import { errorMessage } from "../../../contracts/errors.ts";
import type { Tool, ToolResult } from "../../../contracts/tool.ts";
import { declarationTokens } from "../../../contracts/tool-offer.ts";
import type { McpServerConfig } from "../config/server-config.ts";
import type { ToolList } from "../session/client-session.ts";
import type { OpenedSession } from "../session/open-session.ts";
import { buildTools } from "./build-tools.ts";
import { filterTools } from "./filter-tools.ts";
import type { ListSizes } from "./list-sizes.ts";
import type { McpCall } from "./mcp-tool.ts";
import type { ToolNames } from "./tool-names.ts";

type Deps = {
  readonly config: McpServerConfig;
  readonly shownServer: string;
  readonly names: ToolNames;
  readonly sizes: ListSizes | undefined;
  /** Time for reading a changed list. */
  readonly limitMs: number;
  /** Aborts when the server is no longer needed. */
  readonly closing: AbortSignal;
  /** The running session, if there is one. */
  live(): OpenedSession | undefined;
  call(call: McpCall): Promise<ToolResult>;
  onChanged(): void;
};

/** The last list of tools of one server. */
export class ServerTools {
  readonly #deps: Deps;
  #tools: readonly Tool[] = [];
  #notes: readonly string[] = [];
  #reading: Promise<void> | undefined;
  #isStale = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get tools(): readonly Tool[] {
    return this.#tools;
  }

  /** The changes and omissions in the list, one line each. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  /** Resolves when the list has been read again; undefined if it is not being read. */
  get reading(): Promise<void> | undefined {
    return this.#reading;
  }

  /** The server's tools from now on. */
  take({ sdk }: OpenedSession, list: ToolList): void {
    const { config, shownServer, names, sizes, call } = this.#deps;
    const { alwaysLoad, name: server } = config;
    const { tools, notes } = buildTools({
      ...{ server, shownServer, names, sdk, alwaysLoad, call },
      list: filterTools(list, this.#deps.config),
    });
    this.#tools = tools;
    this.#notes = notes;
    sizes?.note(
      config,
      tools.reduce((sum, { spec }) => sum + declarationTokens(spec), 0),
    );
  }

  clear(): void {
    this.#tools = [];
  }

  /** The list has changed. Further changes during a reading cause one more reading. */
  changed(): void {
    this.#isStale = true;
    this.readAgain();
  }

  /** Reads a list that changed, if the server runs; for a server that is starting, this is called once it runs. */
  readAgain(): void {
    if (!this.#isStale || !this.#deps.live() || this.#reading) return;
    this.#reading = this.#read().finally(() => {
      this.#reading = undefined;
    });
  }

  async #read(): Promise<void> {
    const { live, limitMs, closing, onChanged } = this.#deps;
    for (let now = live(); this.#isStale && now; now = live()) {
      this.#isStale = false;
      const late = AbortSignal.any([closing, AbortSignal.timeout(limitMs)]);
      try {
        const list = await now.session.listTools(late);
        if (live() === now) this.take(now, list);
      } catch (error) {
        this.#notes = [...this.#notes, oneLine(`its new list of tools could not be read: ${errorMessage(error)}`, 300)];
      }
      onChanged();
    }
  }
}
