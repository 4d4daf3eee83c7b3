import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./glob.md" with { type: "text" };

export const globSpec = declareTool({
  name: "Glob",
  summary: "Find files by name",
  description,
  level: "read",
  inputSchema: inputSchemas.Glob,
  otherNames: {
    pattern: "glob glob_pattern query include",
    path: "directory dir folder cwd root",
  },
});
