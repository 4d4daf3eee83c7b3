import { dirname, join } from "node:path";
import { once } from "@quoll/async/once";
import type { Redactor } from "../../contracts/ports.ts";
import type { Subject } from "../../contracts/subject.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { memoryRoot } from "../../services/context/memory/memory-folder.ts";
import type { ProjectMemory } from "../../services/context/memory/project-memory.ts";
import { projectId } from "../../services/workspace/open-workspace.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";

type Parts = {
  readonly place: Pick<ProjectEnvironment, "own" | "project" | "settings">;
  readonly sessionId: string;
  now(): number;
  redactor(): Promise<Redactor>;
  warn(line: string): void;
};

/** The notes of the project, for the main agent of a session. The code that reads and writes them is loaded at the first use. */
export type AgentMemory = {
  /** True if the model gets the notes and may write them. */
  isOn: boolean;
  /** The folder of the notes: absolute, symlinks resolved. It need not exist. */
  folder(): string;
  /** The memory as a first message holds it; empty while it is off. @param tools Names of the built-in tools that the model has. */
  opening(tools: readonly string[]): Promise<string>;
  /** Called before a call that touches these subjects. */
  touched(subjects: readonly Subject[]): Promise<void>;
  /** Called after a turn. */
  settle(): void;
  open(): Promise<ProjectMemory>;
};

export function wireMemory({ place, sessionId, now, redactor, warn }: Parts): AgentMemory {
  const { own, project, settings } = place;
  const id = projectId(memoryRoot(project.root));
  const folder = () => realPathOrSelf(join(own.data, "memory", id));
  const opened: { memory?: ProjectMemory } = {};
  const open = once(async () => {
    const { ProjectMemory } = await import("../../services/context/memory/project-memory.ts");
    const kept = realPathOrSelf(join(own.data, "memory-forgotten", id));
    opened.memory = new ProjectMemory({ folder: folder(), kept, sessionId, now, redactor, warn });
    return opened.memory;
  });
  const memory: AgentMemory = {
    isOn: settings.memory?.enabled !== false,
    folder,
    opening: async (tools) => (memory.isOn ? (await open()).opening(tools) : ""),
    async touched(subjects) {
      const paths = subjects.flatMap((subject) => (subject.action === "write" ? [subject.path] : []));
      const own = folder();
      if (paths.some((path) => dirname(path) === own)) (await open()).touched(paths);
    },
    settle: () => opened.memory?.settle(),
    open,
  };
  return memory;
}
