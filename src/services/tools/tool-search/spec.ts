import { z } from "zod";
import { TOOL_SEARCH } from "../../../contracts/call-target.ts";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./tool-search.md" with { type: "text" };

const DEFAULT_RESULTS = 5;
/** Descriptions and schemas that one search returns. */
export const MAX_RESULTS = 20;

export const toolSearchSpec = declareTool({
  name: TOOL_SEARCH,
  summary: "Find tools that are not loaded",
  description,
  level: "none",
  input: z.object({
    query: z.string().trim().min(1),
    max_results: z.number().int().min(1).max(MAX_RESULTS).default(DEFAULT_RESULTS),
  }),
  aliases: { limit: "max_results", q: "query" },
});
