import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./write.md" with { type: "text" };

export const writeSpec = declareTool({
  name: "Write",
  summary: "Create or overwrite a file",
  description,
  level: "write",
  restoresSecrets: true,
  inputSchema: inputSchemas.Write,
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
