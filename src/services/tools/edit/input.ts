import { z } from "zod";

const oldString = z.string();
const replaceAll = z.boolean().optional();

export const editInput = z.object({
  file_path: z.string().min(1),
  old_string: oldString.optional(),
  new_string: z.string().optional(),
  replace_all: replaceAll.describe("Every occurrence, not one"),
  edits: z
    .array(z.object({ old_string: oldString, new_string: z.string(), replace_all: replaceAll }))
    .optional()
    .describe("Instead of the three above"),
});
