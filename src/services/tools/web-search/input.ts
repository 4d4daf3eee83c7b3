import { z } from "zod";

/** The most hosts in one of the two lists. */
export const MAX_DOMAINS = 20;
export const MAX_QUERY_CHARS = 400;

const domains = z.array(z.string()).optional();

export const webSearchInput = z.object({
  query: z.string().min(1).max(MAX_QUERY_CHARS),
  allowed_domains: domains,
  blocked_domains: domains,
});
