import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { issueSentence } from "../../contracts/describe-issue.ts";
import type { JsonObject } from "../../contracts/message.ts";
import type { GivenAgent } from "./agents.ts";
import { readAgents } from "./read-agents.ts";
import type { WireLine } from "./wire-format.ts";

/** The fields of a program's first message that Quoll uses. */
export type SessionSetup = {
  /** Replaces the built-in system prompt. */
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  /** A JSON schema for every turn's answer. */
  readonly jsonSchema?: JsonObject;
  readonly agents: readonly GivenAgent[];
  /** MCP servers that live in the program, by name. */
  readonly sdkServers: readonly string[];
  /** MCP servers to start or connect, by name, in the form of a configuration file; not validated yet. */
  readonly mcpServers: JsonObject;
  /** Callbacks by event; not validated yet. */
  readonly hooks: JsonObject;
  readonly hasPlugins: boolean;
};

export const NO_SETUP: SessionSetup = { agents: [], sdkServers: [], mcpServers: {}, hooks: {}, hasPlugins: false };

const object = z.record(z.string(), z.unknown());
const initializeSchema = z.looseObject({
  systemPrompt: z.union([z.string(), z.array(z.string())]).nullish(),
  appendSystemPrompt: z.string().nullish(),
  jsonSchema: object.nullish(),
  agents: object.nullish(),
  sdkMcpServers: z.array(z.string()).nullish(),
  mcpServers: object.nullish(),
  hooks: object.nullish(),
  plugins: z.array(z.unknown()).nullish(),
});

/** Lists the accepted fields of a request. `started`: the message from which the session was created. */
export function whatWasTaken(setup: SessionSetup, started: SessionSetup): WireLine {
  const { hooks, mcpServers, hasPlugins } = setup;
  return {
    hook_on_failure_supported: true,
    ...(Object.keys(hooks).length > 0 && { hooks_applied: true }),
    ...(Object.keys(mcpServers).length > 0 && {
      mcp_servers_applied: isDeepStrictEqual(mcpServers, started.mcpServers),
    }),
    ...(hasPlugins && { plugins_applied: false }),
  };
}

/**
 * Reads the request `initialize`. An empty system prompt counts as absent.
 * @throws {Error} a field has the wrong form; the message names it.
 */
export function readInitialize(request: JsonObject): SessionSetup {
  const parsed = initializeSchema.safeParse(request);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`initialize: ${issue ? issueSentence(issue, "the request") : "it has the wrong form"}`);
  }
  const { systemPrompt, appendSystemPrompt, jsonSchema, agents, sdkMcpServers, mcpServers, hooks, plugins } =
    parsed.data;
  const own = [systemPrompt ?? []]
    .flat()
    .filter((part) => part.trim() !== "")
    .join("\n\n");
  return {
    ...(own !== "" && { systemPrompt: own }),
    ...(appendSystemPrompt?.trim() && { appendSystemPrompt }),
    ...(jsonSchema && { jsonSchema }),
    agents: readNamed(agents ?? {}),
    sdkServers: sdkMcpServers ?? [],
    mcpServers: mcpServers ?? {},
    hooks: hooks ?? {},
    hasPlugins: (plugins ?? []).length > 0,
  };
}

function readNamed(agents: JsonObject): readonly GivenAgent[] {
  try {
    return readAgents(agents);
  } catch (error) {
    throw new Error(`initialize: agents: ${error instanceof Error ? error.message : String(error)}`);
  }
}
