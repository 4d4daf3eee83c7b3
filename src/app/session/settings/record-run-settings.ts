import type { EntryBody, SessionLog } from "../../../contracts/session.ts";
import { sha256 } from "../../../platform/digest.ts";

type Setup = Omit<Extract<EntryBody, { kind: "setup" }>, "kind" | "isStart">;

const HASH_CHARS = 16;

/** The beginning of the SHA-256 of a system prompt, in hex. */
export function systemHash(system: string): string {
  return sha256(system).slice(0, HASH_CHARS);
}

/**
 * Logs the settings of a session: before the first prompt of this process, after `/clear`, and before a prompt if the
 * settings have changed.
 */
export function recordRunSettings(log: SessionLog, setup: () => Setup): SessionLog {
  let isStart = true;
  let noted: string | undefined;
  return {
    sessionId: log.sessionId,
    append(body, place) {
      let { parentId } = place;
      if (body.kind === "user" && body.by === undefined) {
        const now = setup();
        const text = JSON.stringify(now);
        if (text !== noted) parentId = log.append({ kind: "setup", isStart, ...now }, place).id;
        noted = text;
        isStart = false;
      }
      const entry = log.append(body, { ...place, parentId });
      // The recorded settings are no longer part of the conversation, and the file states were forgotten.
      if (body.kind === "cleared") {
        noted = undefined;
        isStart = true;
      }
      return entry;
    },
    sync: () => log.sync(),
    pathTo: (entryId, kinds) => log.pathTo(entryId, kinds),
    viewTo: (entryId) => log.viewTo(entryId),
    linksTo: (entryId) => log.linksTo(entryId),
  };
}
