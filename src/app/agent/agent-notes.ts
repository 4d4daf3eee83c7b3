import { join } from "node:path";
import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import { entryExists, isInside, realPathOrSelf } from "../../platform/paths.ts";
import { memoryRoot } from "../../services/context/memory/memory-folder.ts";
import { projectId } from "../../services/workspace/open-workspace.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";

type Place = Pick<ProjectEnvironment, "own" | "project" | "settings" | "isTrusted">;

/**
 * The folder of an agent's own notes: of the user for all projects, of the user for this project (`local`), or in the
 * project's files.
 * @returns the absolute path, symlinks resolved; undefined without notes, and for a folder of the project that leads
 * outside the project.
 */
export function agentNotesFolder(
  { name, memory }: Pick<AgentDefinition, "name" | "memory">,
  { own, project, settings, isTrusted }: Place,
): string | undefined {
  if (memory === undefined || settings.memory?.enabled === false) return undefined;
  const file = name.replace(":", "__");
  const ofAgents = join(own.data, "agent-memory");
  if (memory === "user") return realPathOrSelf(join(ofAgents, "user", file));
  if (memory === "local") return realPathOrSelf(join(ofAgents, projectId(memoryRoot(project.root)), file));
  const theirs = join(project.root, ".claude", "agent-memory", file);
  const folder = realPathOrSelf(entryExists(theirs) ? theirs : join(project.root, ".quoll", "agent-memory", file));
  return isTrusted && isInside(project.root, folder) ? folder : undefined;
}
