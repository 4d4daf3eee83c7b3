import { z } from "zod";
import type { SpendSource } from "./spend.ts";

const dollars = z.number().min(0);
const tokens = z.number().int().min(0);
const sourceCaps = z
  .object({
    sessionUsd: dollars.optional().describe("US dollars per session for this source"),
    dayUsd: dollars.optional().describe("US dollars per day for this source"),
  })
  .optional();

/** The `spend` section: caps on money and tokens, in every mode. The lowest cap of all layers applies. */
export const spendSettingsSchema = z.object({
  sessionUsd: dollars.optional().describe("US dollars per session"),
  dayUsd: dollars.optional().describe("US dollars per day, for all sessions together"),
  turnUsd: dollars.optional().describe("US dollars per turn"),
  sessionTokens: tokens.optional().describe("Tokens per session: input, cache reads and writes, and output"),
  dayTokens: tokens.optional().describe("Tokens per day, for all sessions together"),
  turnTokens: tokens.optional().describe("Tokens per turn"),
  bySource: z
    .object({
      main: sourceCaps,
      subagent: sourceCaps,
      hook: sourceCaps,
      compaction: sourceCaps,
      memory: sourceCaps,
      mcp: sourceCaps,
      web: sourceCaps,
      judge: sourceCaps,
    } satisfies Record<SpendSource, typeof sourceCaps>)
    .optional(),
});

export type SpendSettings = z.infer<typeof spendSettingsSchema>;
