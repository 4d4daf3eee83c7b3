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
  otherNames: {
    file_path: "path file filename absolute_path target_file",
    content: "text contents body file_text data",
  },
});
