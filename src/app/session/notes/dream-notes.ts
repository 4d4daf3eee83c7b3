import { plural } from "@quoll/terminal-text/plural";
import { errorMessage, UserFacingError } from "../../../contracts/errors.ts";
import type { SessionMemory } from "../../../contracts/memory.ts";
import type { DreamChange } from "../../../services/context/memory/dream-plan.ts";
import type { AgentMemory } from "../../agent/wire-memory.ts";
import { askAboutNotes, type NoteQuestionParts } from "./ask-about-notes.ts";

const FEWEST_NOTES = 2;

/**
 * Lets the model merge and prune notes: the changes are proposed, shown, and applied only after the person agrees.
 * @param changed Called when the notes are others.
 */
export function dreamNotes(
  session: NoteQuestionParts,
  memory: Pick<AgentMemory, "isOn" | "open" | "forModel">,
  changed: () => Promise<void>,
): Pick<SessionMemory, "dream" | "applyDream" | "undoDream"> {
  let proposed: readonly DreamChange[] = [];
  return {
    async dream(signal) {
      proposed = [];
      if (!memory.isOn) throw new UserFacingError("The project's memory is off: `/memory on` turns it on.");
      const notes = await memory.forModel();
      if (notes.length < FEWEST_NOTES) return [];
      const { DREAM_MAX_TOKENS, DREAM_SYSTEM, dreamLines, dreamQuestion, readDream } = await import(
        "../../../services/context/memory/dream-plan.ts"
      );
      const { text, left } = dreamQuestion(notes);
      const question = { system: DREAM_SYSTEM, text, maxTokens: DREAM_MAX_TOKENS };
      const answer = await askAboutNotes(session, question, signal);
      try {
        proposed = readDream(answer, notes);
      } catch (error) {
        throw new UserFacingError(`Nothing was changed: ${errorMessage(error)}. Run /dream again.`, 1, {
          cause: error,
        });
      }
      if (proposed.length === 0) return [];
      const rest = left === 0 ? [] : [`The oldest ${plural(left, "note")} had no room in the question.`];
      return [...dreamLines(proposed), ...rest];
    },
    async applyDream() {
      if (proposed.length === 0) throw new UserFacingError("Nothing is proposed: run /dream first.");
      const changes = proposed;
      proposed = [];
      const { removed, written } = await (await memory.open()).applyDream(changes);
      await changed();
      return [`${plural(removed, "note")} became ${written}. \`/dream undo\` undoes this.`];
    },
    async undoDream() {
      const count = await (await memory.open()).undoDream();
      await changed();
      return [`${plural(count, "note")} restored.`];
    },
  };
}
