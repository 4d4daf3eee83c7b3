import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./glob.md" with { type: "text" };

export const globSpec = declareTool({
  name: "Glob",
  summary: "Find files by name",
  description,
  level: "read",
  inputSchema: inputSchemas.Glob,
  aliases: {
    glob: "pattern",
    glob_pattern: "pattern",
    query: "pattern",
    include: "pattern",
    directory: "path",
    dir: "path",
    folder: "path",
    cwd: "path",
    root: "path",
  },
});
