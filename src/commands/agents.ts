import { oneLine } from "@quoll/terminal-text/one-line";
import type { Command } from "../contracts/command.ts";
import { withVerbs } from "./complete.ts";

const MAX_TEXT_COLUMNS = 200;

/** Lists the types of agents by source, and creates, edits or deletes those of the person's own files. */
export const agentsCommand: Command = {
  name: "agents",
  summary: "List, create, edit and delete types of agents",
  argumentHint: "[name | new [wish] | edit name | delete name]",
  needsNoServers: true,
  async complete(typed, { agents: view }) {
    const { agents } = (await view?.list()) ?? { agents: [] };
    const names = agents.map(({ name, description }) => ({
      value: name,
      summary: oneLine(description, MAX_TEXT_COLUMNS),
    }));
    return withVerbs(typed, names, {
      new: "has the model write one",
      edit: "opens its file",
      delete: "deletes its file",
    });
  },
  async run(argument, context) {
    const { runAgents } = await import("./run-agents.ts");
    return runAgents(argument, context);
  },
};
