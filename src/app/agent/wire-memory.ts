import { dirname, join } from "node:path";
import { once } from "@quoll/async/once";
import type { Message } from "../../contracts/message.ts";
import type { Redactor } from "../../contracts/ports.ts";
import type { Subject } from "../../contracts/subject.ts";
import { entryExists, realPathOrSelf } from "../../platform/paths.ts";
import type { FoundRipgrep } from "../../platform/ripgrep.ts";
import { memoryRoot } from "../../services/context/memory/memory-folder.ts";
import type { ProjectMemory } from "../../services/context/memory/project-memory.ts";
import type { RecalledNote } from "../../services/context/memory/recalled-notes.ts";
import { projectId } from "../../services/workspace/open-workspace.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";

type Parts = {
  readonly place: Pick<ProjectEnvironment, "own" | "project" | "settings">;
  ripgrep(): Promise<FoundRipgrep | undefined>;
  readonly sessionId: string;
  now(): number;
  redactor(): Promise<Redactor>;
  warn(line: string): void;
};

type RecallRequest = {
  readonly prompt: string;
  /** What the model is sent now. */
  readonly messages: readonly Message[];
  /** True for a note that a rule keeps from the model. */
  isHidden(path: string): boolean;
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
  /** The notes that have to do with a prompt, without those that the model has had in this session. */
  recall(request: RecallRequest, signal: AbortSignal): Promise<readonly RecalledNote[]>;
  /** The model gets this note in another way. */
  announced(file: string): void;
  open(): Promise<ProjectMemory>;
};

export function wireMemory({ place, sessionId, now, redactor, warn, ripgrep }: Parts): AgentMemory {
  const { own, project, settings } = place;
  const id = projectId(memoryRoot(project.root));
  const folder = () => realPathOrSelf(join(own.data, "memory", id));
  /** Notes that the model has had; after a compaction too. */
  const had = new Set<string>();
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
    async recall({ prompt, messages, isHidden }, signal) {
      if (!memory.isOn || !entryExists(folder())) return [];
      const { notesIn, recallNotes } = await import("../../services/context/memory/recalled-notes.ts");
      for (const file of notesIn(messages)) had.add(file);
      const notes = (await open()).notes().filter(({ file, path }) => !had.has(file) && !isHidden(path));
      const recalled = await recallNotes(prompt, notes, { projectRoot: project.root, ripgrep }, signal);
      for (const { file } of recalled) had.add(file);
      return recalled;
    },
    announced: (file) => void had.add(file),
    settle: () => opened.memory?.settle(),
    open,
  };
  return memory;
}
