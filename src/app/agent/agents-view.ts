import { join } from "node:path";
import type { AgentsView, NewAgent } from "../../contracts/agents-view.ts";
import { nearestName } from "../../contracts/did-you-mean.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { EXTENSION_TOOL_PREFIX } from "../../contracts/extension.ts";
import { entryExists } from "../../platform/paths.ts";
import { createAgentFile, removeAgentFile } from "../../services/agents/io/agent-file.ts";
import { readAgent } from "../../services/agents/read-agent.ts";
import { unknownTool } from "../../services/permission/rules/known-tools.ts";
import type { OpenedSession } from "../session/opened-session.ts";
import { BUILTIN_TOOLS } from "./builtin-tools.ts";

type Parts = Pick<OpenedSession, "main" | "delegation" | "environment">;

/** The types of agents of a session, for the commands. */
export function agentsView({
  main: { offered },
  delegation: { types },
  environment: { own, project, isTrusted },
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
      const names = [...BUILTIN_TOOLS.map(({ spec }) => spec.name), ...offered.entries.map((entry) => entry.name)];
      assertToolsExist(agent.tools, names);
      if (problems.length > 0) throw new UserFacingError(`${problems.join("; ")}.`);
      if (place === "project" && !isTrusted)
        throw new UserFacingError("Agents of this folder have no effect, because you have not trusted it. Use `user`.");
      if (entryExists(file)) throw new UserFacingError(`${file} exists already.`);
      await createAgentFile(file, textOf(values, agent.description), signal);
      return file;
    },
    remove: ({ file }) => removeAgentFile(file),
  };
}

/**
 * Tools of servers and of extensions may be added later, and a name that ends in `*` matches several tools.
 * @throws {UserFacingError} a name is not among `names`.
 */
function assertToolsExist(tools: string, names: readonly string[]): void {
  for (const tool of tools.split(",").map((word) => word.trim())) {
    if (tool === "" || tool.endsWith("*") || tool.startsWith("mcp__") || tool.startsWith(EXTENSION_TOOL_PREFIX))
      continue;
    if (names.includes(tool)) continue;
    const nearest = unknownTool(tool)?.nearest ?? nearestName(tool, names);
    const hint = nearest === undefined ? `The tools are ${names.join(", ")}.` : `Did you mean ${nearest}?`;
    throw new UserFacingError(`There is no tool "${tool}". ${hint}`);
  }
}

function fieldsOf({ name, description, tools, model }: NewAgent): Readonly<Record<string, string>> {
  return { name, description, ...(tools !== "" && { tools }), ...(model !== "" && { model }) };
}

/** Formats the fields as JSON, because JSON text is also valid YAML. */
function textOf(values: Readonly<Record<string, string>>, body: string): string {
  const fields = Object.entries(values).map(
    ([key, value]) => `${key}: ${/^[\w ,.-]+$/.test(value) ? value : JSON.stringify(value)}`,
  );
  return `---\n${fields.join("\n")}\n---\n${body}\n`;
}
