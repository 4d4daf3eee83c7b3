import { z } from "zod";

/** The `agents` section. */
export const agentSettingsSchema = z.object({
  maxRunning: z
    .number()
    .int()
    .min(1)
    .max(200)
    .optional()
    .describe("How many agents work at once; the others wait for their turn (default 10)"),
  exploreModel: z
    .string()
    .min(1)
    .optional()
    .describe("The model of the agents of type Explore (default: the session's)"),
  backgroundAfterMs: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe(
      "Milliseconds after which an agent that a call waits for moves to the background, in a session with a person (default 120000; 0: never)",
    ),
  stallMs: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("Milliseconds without activity after which a line names an agent (default 60000; 0: never)"),
  timeLimitMs: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe("Milliseconds after which an agent is stopped (default: no limit)"),
  turnLimit: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe("The most model requests of an agent in one task (default: no limit)"),
  tokenLimit: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe("The most tokens that an agent may spend (default: no limit)"),
  usdLimit: z
    .number()
    .positive()
    .optional()
    .describe("The most US dollars that an agent may spend (default: no limit)"),
  wake: z
    .boolean()
    .optional()
    .describe(
      "Gives the model the answers of the agents in the background at once when all have ended and no turn runs (default: only without a person)",
    ),
  waitMs: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe(
      "How long a run without a person waits at its end for agents in the background, in milliseconds (default 600000)",
    ),
  keepInProject: z
    .boolean()
    .optional()
    .describe("Keeps the output and the records of agents in `.quoll/agents-out` of the project (default false)"),
});

export type AgentSettings = z.infer<typeof agentSettingsSchema>;
