import { errorMessage } from "../../contracts/errors.ts";
import type { Tool } from "../../contracts/tool.ts";
import type { McpClient } from "../../services/mcp/mcp-client.ts";
import type { Agent } from "../agent/open-agent.ts";

/** Offers the tools of each server under the server's name, so that a name clash names both servers. */
export function offerServerTools(
  client: McpClient,
  main: Pick<Agent, "offered" | "hiddenTools">,
  notify: (line: string) => void,
): void {
  const known = new Map<string, readonly Tool[]>();
  const offer = () => {
    for (const { name } of client.states) if (!known.has(name)) known.set(name, []);
    for (const [name, before] of known) {
      const tools = client.toolsOf(name);
      if (tools === before) continue;
      known.set(name, tools);
      const hidden = main.hiddenTools(tools.map(({ spec }) => spec.name));
      const visible = tools.filter(({ spec }) => !hidden.has(spec.name));
      try {
        main.offered.set({ kind: "mcp", name }, visible);
      } catch (error) {
        notify(errorMessage(error));
      }
    }
  };
  offer();
  client.onChanged(offer);
}
