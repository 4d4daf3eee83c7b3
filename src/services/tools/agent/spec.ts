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
  otherNames: {
    subagent_type: "type agent agent_type",
    prompt: "task",
    run_in_background: "background",
  },
});
