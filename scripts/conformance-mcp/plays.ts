import { reply, type Scenario, toolUse } from "@quoll/model-twin/scenario";
import type { quollPlace } from "../../tests/support/quoll-process.ts";

type Preparation = {
  readonly here: Awaited<ReturnType<typeof quollPlace>>;
  /** The configuration of the server, as `--mcp-config` takes it. */
  readonly config: string;
  /** What the suite tells the client: client ids, keys and the like. */
  readonly context: unknown;
};

/** The client's part in a scenario. */
export type Play = {
  /** The model's answers. */
  readonly model: Scenario;
  /** More fields of the server's entry. */
  entry?(context: unknown): object;
  /** Runs before the session starts, such as a login. */
  before?(preparation: Preparation): Promise<void>;
};

const calls = (tool: string, input: Readonly<Record<string, unknown>> = {}): Play => ({
  model: [reply([toolUse(`mcp__suite__${tool}`, input)]), reply("Done.")],
});

const PLAYS: Readonly<Record<string, Play>> = {
  initialize: { model: [reply("Done.")] },
  tools_call: calls("add_numbers", { a: 2, b: 3 }),
  "elicitation-sep1034-client-defaults": calls("test_client_elicitation_defaults"),
  "sse-retry": calls("test_reconnection"),
};

/** A scenario without an own play only connects. */
export function playOf(scenario: string): Play {
  return PLAYS[scenario] ?? { model: [reply("Done.")] };
}
