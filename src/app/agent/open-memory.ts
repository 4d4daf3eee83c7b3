import { lazy } from "@quoll/async/lazy";
import type { AgentParts } from "./agent-parts.ts";
import { type AgentMemory, wireMemory } from "./wire-memory.ts";

type OfAgent = Pick<AgentParts, "session" | "place">;

/**
 * If no person sees the note, the model may write it without asking only if the user's settings or a flag enable the
 * memory.
 */
export function freeNotes({ session: { config }, place }: OfAgent, memory: AgentMemory) {
  const mayWrite = config.answerer === "person" || place.settings.memory?.enabled === true;
  return memory.isOn ? { folder: memory.folder(), mayWrite } : undefined;
}

/**
 * The notes of the project, or those of an agent; none in a session that reads no files of the project.
 * @param ownFolder The folder of an agent's notes.
 */
export function openMemory(
  { session, place }: OfAgent,
  isHidden: (path: string) => boolean,
  ownFolder?: string,
): AgentMemory | undefined {
  const { app, config, conversation, redactor } = session;
  if (config.isBare) return undefined;
  const { sessionId } = conversation.log;
  const ripgrep = lazy(async () => {
    const { ripgrepOf } = await import("../find-ripgrep.ts");
    const isTrusted = (path: string) => !place.workspace.contains(path);
    return (await ripgrepOf({ environment: place.env, cache: place.own.cache, version: app.version, isTrusted }))();
  });
  const isReadOnly = config.answerer === "nobody" && place.settings.memory?.enabled !== true;
  const now = () => app.clock.now();
  return wireMemory({
    place,
    ownFolder,
    isReadOnly,
    sessionId,
    redactor,
    ripgrep,
    isHidden,
    now,
    warn: session.notices.tell,
  });
}
