import { join } from "node:path";
import type { AgentsView, NewAgent } from "../../contracts/agents-view.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { entryExists } from "../../platform/paths.ts";
import { createAgentFile, removeAgentFile } from "../../services/agents/io/agent-file.ts";
import { readAgent } from "../../services/agents/read-agent.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { AgentTypes } from "./agent-types.ts";

type Parts = {
  readonly delegation: { readonly types: AgentTypes };
  readonly place: Pick<ProjectEnvironment, "own" | "project" | "isTrusted">;
};

/** The types of agents of a session, for the commands. */
export function agentsView({
  delegation: { types },
  place: { own, project, isTrusted },
}: Parts): Omit<AgentsView, "shown"> {
  const folderOf = (where: NewAgent["place"]) =>
    where === "project" ? join(project.root, ".quoll", "agents") : join(own.config, "agents");
  return {
    newFolder: async () => folderOf(isTrusted ? "project" : "user"),
    async list() {
      await types.refresh();
      return { agents: types.all, shadowed: types.shadowed, warnings: types.warnings };
    },
    async create(agent, signal) {
      const { name, place } = agent;
      const folder = folderOf(place);
      const file = join(folder, `${name}.md`);
      const values = fieldsOf(agent);
      const { problems } = readAgent({ origin: place, file, name }, values, agent.description);
      if (problems.length > 0) throw new UserFacingError(`${problems.join("; ")}.`);
      if (place === "project" && !isTrusted)
        throw new UserFacingError("Agents of this folder do not count, because you have not trusted it. Use `user`.");
      if (entryExists(file)) throw new UserFacingError(`${file} exists already.`);
      await createAgentFile(file, textOf(values, agent.description), signal);
      return file;
    },
    remove: ({ file }) => removeAgentFile(file),
  };
}

function fieldsOf({ name, description, tools, model }: NewAgent): Readonly<Record<string, string>> {
  return { name, description, ...(tools !== "" && { tools }), ...(model !== "" && { model }) };
}

/** A JSON text is also one of YAML. */
function textOf(values: Readonly<Record<string, string>>, body: string): string {
  const fields = Object.entries(values).map(
    ([key, value]) => `${key}: ${/^[\w ,.-]+$/.test(value) ? value : JSON.stringify(value)}`,
  );
  return `---\n${fields.join("\n")}\n---\n${body}\n`;
}
