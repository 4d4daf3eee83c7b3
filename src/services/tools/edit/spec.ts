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
  aliases: {
    path: "file_path",
    file: "file_path",
    filename: "file_path",
    absolute_path: "file_path",
    target_file: "file_path",
    old_str: "old_string",
    old_text: "old_string",
    old: "old_string",
    search: "old_string",
    find: "old_string",
    new_str: "new_string",
    new_text: "new_string",
    new: "new_string",
    replace: "new_string",
    replacement: "new_string",
    all: "replace_all",
    changes: "edits",
    replacements: "edits",
  },
});
