import { z } from "zod";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./write.md" with { type: "text" };

export const writeSpec = declareTool({
  name: "Write",
  summary: "Create or overwrite a file",
  description,
  level: "write",
  restoresSecrets: true,
  input: z.object({ file_path: z.string().min(1), content: z.string() }),
  aliases: {
    path: "file_path",
    file: "file_path",
    filename: "file_path",
    absolute_path: "file_path",
    target_file: "file_path",
    text: "content",
    contents: "content",
    body: "content",
    file_text: "content",
    data: "content",
  },
});
