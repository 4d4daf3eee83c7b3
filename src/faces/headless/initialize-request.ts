import { z } from "zod";
import type { JsonObject } from "../../contracts/message.ts";
import { type ListedAgent, readAgents } from "./agents.ts";

/** What a program says when it begins, as far as it changes anything here. */
export type SessionSetup = {
  /** In place of our own system prompt. */
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  /** The shape of every turn's answer, as a JSON schema. */
  readonly jsonSchema?: JsonObject;
  readonly agents: readonly ListedAgent[];
  /** Servers of tools that live in the program, by name. */
  readonly sdkServers: readonly string[];
  /** Callbacks by event, not looked at yet. */
  readonly hooks: JsonObject;
};

export const NO_SETUP: SessionSetup = { agents: [], sdkServers: [], hooks: {} };

const object = z.record(z.string(), z.unknown());
const initializeSchema = z.looseObject({
  systemPrompt: z.union([z.string(), z.array(z.string())]).nullish(),
  appendSystemPrompt: z.string().nullish(),
  jsonSchema: object.nullish(),
  agents: object.nullish(),
  sdkMcpServers: z.array(z.string()).nullish(),
  hooks: object.nullish(),
});

/**
 * Reads the request `initialize`. A system prompt without words is none.
 * @throws {Error} a field is not formed as it must be; the message names it.
 */
export function readInitialize(request: JsonObject): SessionSetup {
  const parsed = initializeSchema.safeParse(request);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`initialize: ${issue?.path.join(".")}: ${issue?.message}`);
  }
  const { systemPrompt, appendSystemPrompt, jsonSchema, agents, sdkMcpServers, hooks } = parsed.data;
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
    hooks: hooks ?? {},
  };
}

function readNamed(agents: JsonObject): readonly ListedAgent[] {
  try {
    return readAgents(agents);
  } catch (error) {
    throw new Error(`initialize: agents: ${error instanceof Error ? error.message : String(error)}`);
  }
}
