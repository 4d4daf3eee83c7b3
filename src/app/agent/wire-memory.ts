import { basename, dirname, join } from "node:path";
import { lazy } from "@quoll/async/lazy";
import { plural } from "@quoll/terminal-text/plural";
import type { Message } from "../../contracts/message.ts";
import type { Redactor } from "../../contracts/ports.ts";
import type { Subject } from "../../contracts/subject.ts";
import { CHARS_PER_TOKEN } from "../../contracts/token-estimate.ts";
import { entryExists, realPathOrSelf } from "../../platform/paths.ts";
import type { FoundRipgrep } from "../../platform/ripgrep.ts";
import type { StoredNote } from "../../services/context/memory/memory-files.ts";
import { memoryRoot } from "../../services/context/memory/memory-folder.ts";
import type { ProjectMemory } from "../../services/context/memory/project-memory.ts";
import type { RecalledNote } from "../../services/context/memory/recall-notes.ts";
import { projectId } from "../../services/workspace/open-workspace.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { SessionParts } from "../session/session-parts.ts";

type Parts = {
  /** The folder of an agent's own notes, which replaces the project's: absolute, symlinks resolved. */
  readonly ownFolder?: string | undefined;
  readonly environment: Pick<ProjectEnvironment, "own" | "project" | "settings">;
  /** True if a note that the model writes would be denied: the model is then not told how to write notes. */
  readonly isReadOnly: boolean;
  ripgrep(): Promise<FoundRipgrep | undefined>;
  readonly sessionId: string;
  now(): number;
  redactor(): Promise<Redactor>;
  notify(line: string): void;
  /** True for a file that a rule hides from the model. @param path Absolute. */
  isHidden(path: string): boolean;
};

type RecallRequest = {
  readonly prompt: string;
  /** The messages of the next request. */
  readonly messages: readonly Message[];
};

/**
 * The notes of the project, for the main agent of a session. The code that reads and writes the notes is loaded at the
 * first use.
 */
export type AgentMemory = {
  /** True if the model gets the notes and may write them. */
  isOn: boolean;
  /** The folder of the notes: absolute, symlinks resolved. The folder need not exist. */
  folder(): string;
  /**
   * The memory in the form of the first message; empty while the memory is off or hidden from the model.
   * @param tools Names of the built-in tools that the model has.
   */
  opening(tools: readonly string[]): Promise<string>;
  /** Called before a call that touches these subjects. */
  touched(subjects: readonly Subject[]): Promise<void>;
  /** Called after a turn. */
  settle(): void;
  /** The notes that are relevant to a prompt, without notes that the model already got in this conversation. */
  recall(request: RecallRequest, signal: AbortSignal): Promise<readonly RecalledNote[]>;
  /** The notes that a model may get, without credentials, newest first; none while the memory is off. */
  forModel(): Promise<readonly StoredNote[]>;
  /** The text that announces a note to the model; empty if the model may not get the note. */
  announcement(file: string): Promise<string>;
  /** Records that the model has this note. */
  announced(file: string): void;
  /**
   * Records that the conversation was replaced: notes that the new conversation does not contain may be sent with a
   * prompt again.
   */
  forget(): void;
  open(): Promise<ProjectMemory>;
};

export function wireMemory(parts: Parts): AgentMemory {
  const { environment, ownFolder, isReadOnly, ripgrep, sessionId, now, redactor, notify, isHidden } = parts;
  const { own, project, settings } = environment;
  const id = projectId(ownFolder ?? memoryRoot(project.root));
  const folder = () => ownFolder ?? realPathOrSelf(join(own.data, "memory", id));
  /** Notes that the model has in this conversation, including notes before a compaction. */
  const had = new Set<string>();
  const opened: { memory?: ProjectMemory } = {};
  const open = lazy(async () => {
    const { ProjectMemory } = await import("../../services/context/memory/project-memory.ts");
    const kept = realPathOrSelf(join(own.data, "memory-forgotten", id));
    opened.memory = new ProjectMemory({
      sessionId,
      now,
      redactor,
      notify,
      isHidden,
      folder: folder(),
      kept,
      isAgents: ownFolder !== undefined,
    });
    return opened.memory;
  });
  const forModel = async () => (memory.isOn ? (await open()).forModel() : []);
  const memory: AgentMemory = {
    isOn: settings.memory?.enabled !== false,
    folder,
    async opening(tools) {
      if (!memory.isOn) return "";
      return (await open()).opening(isReadOnly ? tools.filter((name) => name !== "Write") : tools);
    },
    async touched(subjects) {
      const paths = subjects.flatMap((subject) => (subject.action === "write" ? [subject.path] : []));
      // Resolving the folder's links takes longer than all other checks.
      const named = paths.filter((path) => basename(dirname(path)) === basename(ownFolder ?? id));
      if (named.length === 0) return;
      const own = folder();
      if (named.some((path) => dirname(path) === own)) (await open()).touched(paths);
    },
    async recall({ prompt, messages }, signal) {
      if (!memory.isOn || !entryExists(folder())) return [];
      const { notesIn, recallNotes } = await import("../../services/context/memory/recall-notes.ts");
      for (const file of notesIn(messages)) had.add(file);
      const notes = (await forModel()).filter(({ file }) => !had.has(file));
      const recalled = await recallNotes(prompt, notes, { projectRoot: project.root, ripgrep }, signal);
      for (const { file } of recalled) had.add(file);
      return recalled;
    },
    forModel,
    async announcement(file) {
      const note = (await forModel()).find((one) => one.file === file);
      if (!note) return "";
      const { noteElement } = await import("../../services/context/memory/memory-element.ts");
      return noteElement(note, []);
    },
    announced: (file) => void had.add(file),
    forget: () => had.clear(),
    settle: () => opened.memory?.settle(),
    open,
  };
  return memory;
}

/**
 * The notes that are sent with a prompt, each once per session, except notes that a rule hides from the model. One line
 * names the sent notes to the person.
 */
export async function recalledNotes(
  memory: AgentMemory | undefined,
  { config, notices }: Pick<SessionParts, "config" | "notices">,
  { prompt, messages, signal }: RecallRequest & { readonly signal: AbortSignal },
) {
  const notes = (await memory?.recall({ prompt, messages }, signal)) ?? [];
  if (notes.length > 0 && config.answerer === "person") {
    const tokens = Math.ceil(notes.reduce((sum, { text }) => sum + text.length, 0) / CHARS_PER_TOKEN);
    const names = notes.map(({ file }) => file).join(", ");
    notices.notify(`Recalled ${plural(notes.length, "note")}: ${names} (${plural(tokens, "token")}).`);
  }
  return notes.map(({ text }) => text);
}
