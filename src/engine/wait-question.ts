import type { ProviderError } from "../contracts/errors.ts";
import type { EngineEvent } from "../contracts/event.ts";
import type { Question } from "../contracts/permission.ts";

/** Nobody sits before a screen for longer; a timer could not be set for much more either. */
export const MAX_WAIT_MS = 24 * 3_600_000;

/** Asks whether to wait as long as a server wants. @param why what the server said, with the time. */
export function waitQuestion(why: string, waitMs: number): Omit<Question, "id"> {
  return {
    kind: "wait",
    toolUseId: "",
    toolName: "",
    title: `Wait ${inWords(waitMs)} for the server?`,
    preview: { kind: "text", text: `${why}\nEsc ends the wait; nothing of the conversation is lost.` },
    reason: "no request waits longer than a minute unasked",
    hazards: [],
    suggestions: [],
    sessionRules: [],
  };
}

/** The wait, told like any other between two tries. */
export function waitEvent({ message, status }: ProviderError, delayMs: number): EngineEvent {
  return { type: "retry", attempt: 1, maxAttempts: 1, delayMs, status, message };
}

function inWords(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return rest === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${rest} min`;
}
