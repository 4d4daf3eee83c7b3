import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./read.md" with { type: "text" };

export const readSpec = declareTool({
  name: "Read",
  summary: "Read a text file, a document or an image",
  description,
  level: "read",
  inputSchema: inputSchemas.Read,
  otherNames: {
    file_path: "path file filename absolute_path target_file",
    offset: "start start_line line",
    limit: "lines num_lines max_lines",
    pages: "page page_range",
  },
});
