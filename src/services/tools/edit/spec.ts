import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./edit.md" with { type: "text" };

export const editSpec = declareTool({
  name: "Edit",
  summary: "Replace text in a file",
  description,
  level: "write",
  restoresSecrets: true,
  inputSchema: inputSchemas.Edit,
  otherNames: {
    file_path: "path file filename absolute_path target_file",
    old_string: "old_str old_text old search find",
    new_string: "new_str new_text new replace replacement",
    replace_all: "all",
    edits: "changes replacements",
  },
});
