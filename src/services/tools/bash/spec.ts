import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./bash.md" with { type: "text" };

export const bashSpec = declareTool({
  name: "Bash",
  summary: "Run a shell command in the workspace",
  description,
  level: "execute",
  inputSchema: inputSchemas.Bash,
  otherNames: {
    command: "cmd script",
    description: "desc",
    timeout: "timeout_ms",
    run_in_background: "background",
    dangerouslyDisableSandbox: "disable_sandbox",
  },
});
