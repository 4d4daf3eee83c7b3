import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import { errorMessage } from "../../../contracts/errors.ts";
import type { Tool, ToolResult } from "../../../contracts/tool.ts";
import { declarationTokens } from "../../../contracts/tool-offer.ts";
import type { McpServerConfig } from "../config/server-config.ts";
import { MAX_COMPILED_PARTS, MAX_DESCRIPTION_CHARS } from "../mcp-limits.ts";
import type { ToolList } from "../session/client-session.ts";
import type { Sdk } from "../session/load-sdk.ts";
import type { OpenedSession } from "../session/open-client-session.ts";
import { inputChecker } from "./input-checker.ts";
import type { ListSizes } from "./list-sizes.ts";
import { type McpCall, mcpTool } from "./mcp-tool.ts";
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
      server,
      shownServer,
      names,
      sdk,
      alwaysLoad,
      call,
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

type Filter = Pick<McpServerConfig, "enabledTools" | "disabledTools">;

/** Removes the tools that the configuration excludes; a note gives their number, and unknown names. */
function filterTools(list: ToolList, { enabledTools, disabledTools = [] }: Filter): ToolList {
  if (!enabledTools && disabledTools.length === 0) return list;
  const isIn = (name: string) => (enabledTools?.includes(name) ?? true) && !disabledTools.includes(name);
  const definitions = list.definitions.filter(({ name }) => isIn(name));
  const known = new Set(list.definitions.map(({ name }) => name));
  const unknown = [...(enabledTools ?? []), ...disabledTools].filter((name) => !known.has(name));
  const left = list.definitions.length - definitions.length;
  return {
    definitions,
    notes: [
      ...list.notes,
      ...(left > 0 ? [`its configuration leaves out ${plural(left, "tool")}`] : []),
      ...unknown.map((name) => `its configuration names the tool ${oneLine(name, 60)}, which it does not have`),
    ],
  };
}

const MAX_NOTED_COLUMNS = 100;
/** The maximum number of notes of one kind, for a server whose tools all have the same problem. */
const MAX_NOTES = 20;
/**
 * The key in a tool's `_meta` by which a server asks that the tool is not deferred; it is respected for a few small
 * tools.
 */
const ALWAYS_LOAD = "anthropic/alwaysLoad";
const MAX_MARKED_TOOLS = 5;
const MAX_MARKED_TOKENS = 4_000;

type BuildRequest = {
  /** The server's configured name, and its printable form. */
  readonly server: string;
  readonly shownServer: string;
  readonly names: ToolNames;
  readonly list: ToolList;
  readonly sdk: Sdk;
  readonly alwaysLoad: McpServerConfig["alwaysLoad"];
  call(call: McpCall): Promise<ToolResult>;
};

type BuiltTools = {
  /** Sorted by name: a server's own order may change from list to list, and the model's view should not. */
  readonly tools: readonly Tool[];
  /** Differences from the server's list, one line each. */
  readonly notes: readonly string[];
};

/** Converts a server's list into our tools. */
function buildTools({ server, shownServer, names, list, sdk, alwaysLoad, call }: BuildRequest): BuiltTools {
  const { definitions } = list;
  const given = names.assign(definitions.map(({ name }) => name));
  const checker = inputChecker(new sdk.AjvJsonSchemaValidator(), MAX_COMPILED_PARTS);
  const marked = { tools: 0, tokens: 0 };
  const tools = definitions.map((definition, index) => {
    const make = (alwaysLoad: boolean) =>
      mcpTool({
        server: shownServer,
        name: given[index] ?? names.prefix,
        definition,
        alwaysLoad,
        checker,
        call,
      });
    const isConfigured = Array.isArray(alwaysLoad) ? alwaysLoad.includes(definition.name) : alwaysLoad === true;
    const tool = make(isConfigured);
    if (isConfigured || definition._meta?.[ALWAYS_LOAD] !== true) return tool;
    marked.tools += 1;
    marked.tokens += declarationTokens(tool.spec);
    return marked.tools > MAX_MARKED_TOOLS || marked.tokens > MAX_MARKED_TOKENS ? tool : make(true);
  });
  const shown = (name: string) => oneLine(name, MAX_NOTED_COLUMNS);
  const odd =
    names.prefix === `mcp__${server}__` ? [] : [`its tools are named ${names.prefix}*; use this prefix in rules`];
  const renamed = definitions.flatMap(({ name }, index) =>
    given[index] === names.prefix + name ? [] : [`the tool ${shown(name)} is called ${given[index]}`],
  );
  const cut = definitions
    .filter(({ description }) => description.trim().length > MAX_DESCRIPTION_CHARS)
    .map(({ name }) => `the description of ${shown(name)} was cut at ${MAX_DESCRIPTION_CHARS} characters`);
  return {
    tools: tools.sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1)),
    notes: [odd, list.notes.map((note) => oneLine(note, 2 * MAX_NOTED_COLUMNS)), renamed, cut].flatMap(some),
  };
}

function some(notes: readonly string[]): readonly string[] {
  if (notes.length <= MAX_NOTES) return notes;
  return [...notes.slice(0, MAX_NOTES - 1), `… and ${notes.length - MAX_NOTES + 1} more of this kind`];
}
