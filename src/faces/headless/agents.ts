import type { JsonObject } from "../../contracts/message.ts";
import type { WireLine } from "./wire-format.ts";

/** An agent in the form in which it is listed. */
export type ListedAgent = { readonly name: string; readonly description: string; readonly model?: string };

/** An agent that the command line or a program defines; `given` has all its fields. */
export type GivenAgent = ListedAgent & { readonly given: JsonObject };

/** Agents by name, in the form of `SessionConfig.agents`. */
export function agentsByName(agents: readonly GivenAgent[]): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(agents.map(({ name, given }) => [name, given]));
}

export function wireAgents(agents: readonly ListedAgent[]): readonly WireLine[] {
  return agents.map(({ name, description, model }) => ({ name, description, ...(model !== undefined && { model }) }));
}
