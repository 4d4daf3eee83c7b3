import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./bash.md" with { type: "text" };

export const bashSpec = declareTool({
  name: "Bash",
  summary: "Run a shell command in the workspace",
  description,
  level: "execute",
  inputSchema: inputSchemas.Bash,
  aliases: {
    cmd: "command",
    script: "command",
    desc: "description",
    timeout_ms: "timeout",
    background: "run_in_background",
    disable_sandbox: "dangerouslyDisableSandbox",
  },
});
