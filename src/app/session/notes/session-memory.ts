import { lazy } from "@quoll/async/lazy";
import { oneLine } from "@quoll/terminal-text/one-line";
import { UserFacingError } from "../../../contracts/errors.ts";
import { MEMORY_INDEX, type SessionMemory } from "../../../contracts/memory.ts";
import type { NoteFields } from "../../../services/context/memory/note-text.ts";
import type { WrittenNote } from "../../../services/context/memory/project-memory.ts";
import type { Agent } from "../../agent/open-agent.ts";
import type { AgentMemory } from "../../agent/wire-memory.ts";
import type { NoteQuestionParts } from "./ask-about-notes.ts";
import type { dreamNotes } from "./dream-notes.ts";

const OFF_NOTE =
  "The user switched the project's memory off for this session: use none of its notes, and write none into its folder.";
const ON_NOTE = "The user switched the project's memory on again.";
const MAX_LINE_COLUMNS = 200;

/**
 * The memory of a session's project, for commands. A change is announced to the model with the next request.
 * @param proposals Notes that the model proposed and the person has not saved yet, oldest first.
 */
export function sessionMemory(session: NoteQuestionParts, memory: AgentMemory, proposals: NoteFields[]): SessionMemory {
  const { engine, registry } = session.main;
  let told = 0;
  /** Before the first prompt no announcement is needed: the first message contains the current memory. */
  const announce = (text: string) => {
    if (text === "") return;
    told += 1;
    if (engine.state.messages.length > 0) engine.taskNews.addModelNote(`memory:${told}`, text);
  };
  /** @returns true if the model gets the note with its next request. */
  const announceNote = async (file: string) => {
    const text = await memory.announcement(file);
    announce(text);
    const isTold = text !== "" && engine.state.messages.length > 0;
    if (isTold) memory.announced(file);
    return isTold;
  };
  const find = async (words: string) => {
    const notes = (await memory.open()).notes();
    if (words.trim() === "") return notes;
    const { rankNotes } = await import("../../../services/context/memory/rank-notes.ts");
    return rankNotes(words, notes, { isLoose: true });
  };
  const remembered = async ({ note, hadSecrets }: WrittenNote) => {
    await announceNote(note.file);
    return [
      `Remembered as ${note.file} (${note.type}): ${oneLine(note.description, MAX_LINE_COLUMNS)}`,
      ...(hadSecrets ? ["A credential in it was replaced by a placeholder: secrets are not saved."] : []),
      ...(memory.isOn ? [] : ["The memory is off: the model gets no notes until `/memory on`."]),
    ];
  };
  return {
    ...lazyDreams(session, memory, async () => announce(await memory.opening(registry.names))),
    list: async () => ({ isOn: memory.isOn, ...(await memory.open()).list() }),
    find,
    async switchTo(isOn) {
      if (isOn === memory.isOn) return [`The project's memory is ${isOn ? "on" : "off"} already.`];
      memory.isOn = isOn;
      if (!isOn) announce(OFF_NOTE);
      else announce(hasMemory(engine.state.messages) ? ON_NOTE : await memory.opening(registry.names));
      return [isOn ? "The project's memory is on." : "The project's memory is off until this session ends."];
    },
    remember: async (type, words) => remembered(await (await memory.open()).remember(type, words)),
    proposals: () => proposals,
    async takeProposal(number) {
      const note = proposals[number - 1];
      if (!note) throw new UserFacingError(`There is no proposal ${number}. \`/remember\` lists them.`);
      const written = await (await memory.open()).write(note, "model");
      proposals.splice(proposals.indexOf(note), 1);
      return remembered(written);
    },
    async forget(file) {
      const isKnown = (await memory.forModel()).some((note) => note.file === file);
      await (await memory.open()).forget(file);
      if (isKnown) announce(`The user removed the note ${file} from the project's memory: don't rely on it.`);
      return [`Forgot ${file}. \`/forget undo\` restores it.`];
    },
    async undoForget() {
      const file = await (await memory.open()).undoForget();
      await announceNote(file);
      return [`${file} is back.`];
    },
    async edited(path) {
      const files = await memory.open();
      await files.changed();
      const note = files.notes().find((one) => one.path === path);
      const isTold = note !== undefined && (await announceNote(note.file));
      return [`${note?.file ?? MEMORY_INDEX} is saved.${isTold ? " The model gets it with your next prompt." : ""}`];
    },
  };
}

function lazyDreams(...[session, memory, changed]: Parameters<typeof dreamNotes>): ReturnType<typeof dreamNotes> {
  const dreams = lazy(async () => (await import("./dream-notes.ts")).dreamNotes(session, memory, changed));
  return {
    dream: async (signal) => (await dreams()).dream(signal),
    applyDream: async () => (await dreams()).applyDream(),
    undoDream: async () => (await dreams()).undoDream(),
  };
}

function hasMemory(messages: Agent["engine"]["state"]["messages"]): boolean {
  return messages.some(({ role, content }) =>
    content.some((block) => role === "user" && block.type === "text" && block.text.includes("<project-memory ")),
  );
}
