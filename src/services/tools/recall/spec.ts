import { z } from "zod";
import { RECALL } from "../../../contracts/recall.ts";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./recall.md" with { type: "text" };

const DEFAULT_TOKENS = 4_000;
const MAX_TOKENS = 20_000;

export const recallSpec = declareTool({
  name: RECALL,
  summary: "Bring back what was said and done earlier in the session",
  description,
  level: "none",
  input: z.object({
    query: z.string().trim().min(1),
    offset: z.number().int().min(0).default(0).describe("Characters to skip, with an id"),
    max_tokens: z.number().int().min(100).max(MAX_TOKENS).default(DEFAULT_TOKENS),
  }),
  aliases: { id: "query", q: "query", tool_use_id: "query", limit: "max_tokens" },
});
