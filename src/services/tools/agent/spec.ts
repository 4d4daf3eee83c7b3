import { AGENT_TOOL } from "../../../contracts/agent-definition.ts";
import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./agent.md" with { type: "text" };

export const agentSpec = declareTool({
  name: AGENT_TOOL,
  summary: "Hand a task to an agent of its own",
  description,
  level: "read",
  inputSchema: inputSchemas[AGENT_TOOL],
  aliases: {
    type: "subagent_type",
    agent: "subagent_type",
    agent_type: "subagent_type",
    task: "prompt",
    background: "run_in_background",
  },
});
