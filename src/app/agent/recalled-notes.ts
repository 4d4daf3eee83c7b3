import { plural } from "@quoll/terminal-text/plural";
import type { Message } from "../../contracts/message.ts";
import { CHARS_PER_TOKEN } from "../../contracts/token-estimate.ts";
import type { SessionParts } from "../session/session-parts.ts";
import type { AgentMemory } from "./wire-memory.ts";

type Request = {
  readonly prompt: string;
  /** The messages of the next request. */
  readonly messages: readonly Message[];
  readonly signal: AbortSignal;
};

/**
 * The notes that are sent with a prompt, each once per session, except notes that a rule hides from the model. One line
 * names the sent notes to the person.
 */
export async function recalledNotes(
  memory: AgentMemory | undefined,
  { config, notices }: Pick<SessionParts, "config" | "notices">,
  { prompt, messages, signal }: Request,
) {
  const notes = (await memory?.recall({ prompt, messages }, signal)) ?? [];
  if (notes.length > 0 && config.answerer === "person") {
    const tokens = Math.ceil(notes.reduce((sum, { text }) => sum + text.length, 0) / CHARS_PER_TOKEN);
    const names = notes.map(({ file }) => file).join(", ");
    notices.notify(`Recalled ${plural(notes.length, "note")}: ${names} (${plural(tokens, "token")}).`);
  }
  return notes.map(({ text }) => text);
}
