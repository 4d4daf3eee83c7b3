import { oneLine } from "@quoll/terminal-text/one-line";
import type { Tool, ToolResult } from "../../../contracts/tool.ts";
import { declarationTokens } from "../../../contracts/tool-offer.ts";
import type { McpServerConfig } from "../config/server-config.ts";
import { MAX_COMPILED_PARTS, MAX_DESCRIPTION_CHARS } from "../limits.ts";
import type { ToolList } from "../session/client-session.ts";
import type { Sdk } from "../session/load-sdk.ts";
import { inputChecker } from "./input-checker.ts";
import { type McpCall, mcpTool } from "./mcp-tool.ts";
import type { ToolNames } from "./tool-names.ts";

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

export type BuildRequest = {
  /** The server's configured name, and its printable form. */
  readonly server: string;
  readonly shownServer: string;
  readonly names: ToolNames;
  readonly list: ToolList;
  readonly sdk: Sdk;
  readonly alwaysLoad: McpServerConfig["alwaysLoad"];
  call(call: McpCall): Promise<ToolResult>;
};

export type BuiltTools = {
  /** Sorted by name: a server's own order may change from list to list, and the model's view should not. */
  readonly tools: readonly Tool[];
  /** Differences from the server's list, one line each. */
  readonly notes: readonly string[];
};

/** Converts a server's list into our tools. */
export function buildTools({ server, shownServer, names, list, sdk, alwaysLoad, call }: BuildRequest): BuiltTools {
  const { definitions } = list;
  const given = names.assign(definitions.map(({ name }) => name));
  const checker = inputChecker(new sdk.AjvJsonSchemaValidator(), MAX_COMPILED_PARTS);
  const marked = { tools: 0, tokens: 0 };
  const tools = definitions.map((definition, index) => {
    const make = (alwaysLoad: boolean) =>
      mcpTool({
        ...{ server: shownServer, name: given[index] ?? names.prefix },
        ...{ definition, alwaysLoad, checker, call },
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
