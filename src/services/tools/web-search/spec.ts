import { declareTool } from "../../../contracts/tool.ts";
import { WEB_SEARCH } from "../../../contracts/web.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./web-search.md" with { type: "text" };

export const webSearchSpec = declareTool({
  name: WEB_SEARCH,
  summary: "Search the web",
  description,
  level: "network",
  inputSchema: inputSchemas[WEB_SEARCH],
  otherNames: {
    query: "q search search_query",
    allowed_domains: "include_domains",
  },
});
