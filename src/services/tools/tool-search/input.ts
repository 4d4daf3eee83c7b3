import { z } from "zod";

const DEFAULT_RESULTS = 5;
/** Descriptions and schemas that one search returns. */
export const MAX_RESULTS = 20;

export const toolSearchInput = z.object({
  query: z.string().trim().min(1),
  max_results: z.number().int().min(1).max(MAX_RESULTS).default(DEFAULT_RESULTS),
});
