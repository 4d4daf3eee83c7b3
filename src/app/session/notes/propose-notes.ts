import { oneLine } from "@quoll/terminal-text/one-line";
import { errorMessage } from "../../../contracts/errors.ts";
import { orUndefined } from "../../../contracts/or-undefined.ts";
import type { NoteFields } from "../../../services/context/memory/note-text.ts";
import type { AgentMemory } from "../../agent/wire-memory.ts";
import type { OpenedSession } from "../opened-session.ts";

/** The maximum number of prompts that wait for the next question. */
const MAX_WAITING = 20;
/** The maximum number of proposals that wait for the person. */
const MAX_PROPOSED = 10;
/** Shorter prompts contain no lasting fact. */
const MIN_CHARS = 20;
const MAX_TOLD_COLUMNS = 200;

type Parts = Pick<OpenedSession, "app" | "main" | "catalog" | "spend" | "watch" | "closers" | "redactor">;

/**
 * After each turn, asks the model whether the person's messages of that turn are worth a note. The question does not
 * contain answers and tool results. Nothing is saved.
 * @param proposals Gets the proposed notes, oldest first; the person's command takes those out that are saved.
 */
export function proposeNotes(parts: Parts, proposals: NoteFields[]): void {
  const { memory, state, engine } = parts.main;
  if (!memory) return;
  const closing = new AbortController();
  let waiting: readonly string[] = [];
  let last: readonly string[] = [];
  let [isBusy, isBroken] = [false, false];
  const stopWords = state.onChanged((change) => {
    const { prompts } = state;
    const isNew = prompts.length > last.length || (prompts.length === last.length && prompts.at(-1) !== last.at(-1));
    if (change === "prompts" && isNew) waiting = [...waiting, ...prompts.slice(-1)].slice(-MAX_WAITING);
    last = prompts;
  });
  const propose = async () => {
    const words = waiting;
    waiting = [];
    const found = await askForNotes(parts, memory, words, closing.signal);
    proposals.push(...found);
    proposals.splice(0, proposals.length - MAX_PROPOSED);
    for (const { type, description } of found)
      engine.notify(`Proposed note (${type}): ${oneLine(description, MAX_TOLD_COLUMNS)}. /remember saves it.`);
  };
  const stopTurns = engine.subscribe(({ event }) => {
    if (event.type !== "turn_finished" || isBusy || isBroken || !memory.isOn) return;
    if (waiting.join("").length < MIN_CHARS) return;
    isBusy = true;
    propose()
      .catch((error: unknown) => {
        // The person is told only once, because such a request may fail after every turn.
        isBroken = true;
        if (!closing.signal.aborted)
          engine.notify(`No more notes are proposed in this session: ${errorMessage(error)}`);
      })
      .finally(() => {
        isBusy = false;
      });
  });
  parts.closers.defer(() => {
    closing.abort(new Error("The session ends."));
    stopWords();
    stopTurns();
  });
}

async function askForNotes(parts: Parts, memory: AgentMemory, words: readonly string[], signal: AbortSignal) {
  const { EXTRACT_MAX_TOKENS, EXTRACT_SYSTEM, extractQuestion, readExtracted } = await import(
    "../../../services/context/memory/extract-notes.ts"
  );
  const redactor = await parts.redactor();
  const text = extractQuestion(
    words.map((text) => redactor.redact(text)),
    await memory.forModel(),
  );
  const question = { system: EXTRACT_SYSTEM, text, maxTokens: EXTRACT_MAX_TOKENS };
  const { askAboutNotes } = await import("./ask-about-notes.ts");
  const answer = await askAboutNotes(parts, question, signal);
  // An unreadable answer proposes no note.
  return orUndefined(() => readExtracted(answer)) ?? [];
}
