import { declareTool } from "../../../contracts/tool.ts";
import { WEB_FETCH } from "../../../contracts/web.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./web-fetch.md" with { type: "text" };

export const webFetchSpec = declareTool({
  name: WEB_FETCH,
  summary: "Read a page of the web",
  description,
  level: "network",
  inputSchema: inputSchemas[WEB_FETCH],
  otherNames: {
    url: "uri link address",
    prompt: "query question",
    offset: "start",
  },
});
