import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./grep.md" with { type: "text" };

export const grepSpec = declareTool({
  name: "Grep",
  summary: "Find text in files",
  description,
  level: "read",
  inputSchema: inputSchemas.Grep,
  otherNames: {
    pattern: "regex query search",
    path: "directory dir folder file_path",
    glob: "include include_pattern file_pattern",
    type: "file_type",
    output_mode: "mode",
    "-A": "after after_context A",
    "-B": "before before_context B",
    "-C": "context context_lines C",
    "-i": "ignore_case case_insensitive i",
    "-n": "n line_numbers",
    head_limit: "limit max_results",
  },
});
