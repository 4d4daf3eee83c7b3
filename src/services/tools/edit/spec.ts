import { z } from "zod";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./edit.md" with { type: "text" };

const oldString = z.string();
const replaceAll = z.boolean().optional();

export const editSpec = declareTool({
  name: "Edit",
  summary: "Replace text in a file",
  description,
  level: "write",
  restoresSecrets: true,
  input: z.object({
    file_path: z.string().min(1),
    old_string: oldString.optional(),
    new_string: z.string().optional(),
    replace_all: replaceAll.describe("Every occurrence, not one"),
    edits: z
      .array(z.object({ old_string: oldString, new_string: z.string(), replace_all: replaceAll }))
      .optional()
      .describe("Instead of the three above"),
  }),
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
