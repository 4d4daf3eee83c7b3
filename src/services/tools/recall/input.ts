import { z } from "zod";

const DEFAULT_TOKENS = 4_000;
const MAX_TOKENS = 20_000;

export const recallInput = z.object({
  query: z.string().trim().min(1),
  offset: z.number().int().min(0).default(0).describe("Characters to skip, with an id"),
  max_tokens: z.number().int().min(100).max(MAX_TOKENS).default(DEFAULT_TOKENS),
});
