import { z } from "zod";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./glob.md" with { type: "text" };

export const globSpec = declareTool({
  name: "Glob",
  summary: "Find files by name",
  description,
  level: "read",
  input: z.object({
    pattern: z.string().min(1),
    path: z.string().optional().describe("The working folder by default"),
  }),
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
