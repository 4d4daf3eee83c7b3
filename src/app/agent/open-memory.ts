import { lazy } from "@quoll/async/lazy";
import type { AgentParts } from "./agent-parts.ts";
import { type AgentMemory, wireMemory } from "./wire-memory.ts";

type OfAgent = Pick<AgentParts, "session" | "environment">;

/**
 * If no person sees the note, the model may write it without asking only if the user's settings or a flag enable the
 * memory.
 */
export function freeNotes({ session: { config }, environment }: OfAgent, memory: AgentMemory) {
  const mayWrite = config.answerer === "person" || environment.settings.memory?.enabled === true;
  return memory.isOn ? { folder: memory.folder(), mayWrite } : undefined;
}

/**
 * The notes of the project, or those of an agent; none in a session that reads no files of the project.
 * @param ownFolder The folder of an agent's notes.
 */
export function openMemory(
  { session, environment }: OfAgent,
  isHidden: (path: string) => boolean,
  ownFolder?: string,
): AgentMemory | undefined {
  const { app, config, conversation, redactor } = session;
  if (config.isBare) return undefined;
  const { sessionId } = conversation.log;
  const ripgrep = lazy(async () => {
    const { ripgrepOf } = await import("../find-ripgrep.ts");
    const isTrusted = (path: string) => !environment.workspace.contains(path);
    return (
      await ripgrepOf({ environment: environment.env, cache: environment.own.cache, version: app.version, isTrusted })
    )();
  });
  const isReadOnly = config.answerer === "nobody" && environment.settings.memory?.enabled !== true;
  const now = () => app.clock.now();
  return wireMemory({
    environment,
    ownFolder,
    isReadOnly,
    sessionId,
    redactor,
    ripgrep,
    isHidden,
    now,
    notify: session.notices.notify,
  });
}
