import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./read.md" with { type: "text" };

export const readSpec = declareTool({
  name: "Read",
  summary: "Read a text file, a document or an image",
  description,
  level: "read",
  inputSchema: inputSchemas.Read,
  aliases: {
    path: "file_path",
    file: "file_path",
    filename: "file_path",
    absolute_path: "file_path",
    target_file: "file_path",
    start: "offset",
    start_line: "offset",
    line: "offset",
    lines: "limit",
    num_lines: "limit",
    max_lines: "limit",
    page: "pages",
    page_range: "pages",
  },
});
