import { join } from "node:path";
import { foldersUpTo } from "../../services/skills/skill-places.ts";
import type { Project } from "../../services/workspace/open-workspace.ts";
import type { AgentPlace } from "./read-agent-files.ts";

/** The folders of a project's definitions, highest precedence first. */
export function projectAgentPlaces({ cwd, root }: Pick<Project, "cwd" | "root">): readonly AgentPlace[] {
  return foldersUpTo(cwd, root).flatMap((at) =>
    [".quoll/agents", ".claude/agents"].map((name) => ({ folder: join(at, name), origin: "project", within: root })),
  );
}
