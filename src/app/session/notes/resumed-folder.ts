import type { Entry } from "../../../contracts/session.ts";
import type { OpenedSession } from "../opened-session.ts";

type Parts = Pick<OpenedSession, "main" | "conversation">;

/**
 * Tells the model of a resumed conversation if the session now starts in another folder than before, or if its commands
 * had moved to another folder.
 */
export function noteResumedFolder({ main, conversation: { restored } }: Parts): void {
  const { engine, workspace } = main;
  const { cwd } = workspace;
  const folder = lastFolder(restored?.entries ?? []);
  if (folder === undefined || folder === cwd) return;
  const [now, before] = [cwd, folder].map((path) => JSON.stringify(path));
  engine.taskNews.addModelNote(
    "resumed-folder",
    `The session was resumed, and its working folder is ${now} again, no longer ${before}.`,
  );
}

/** The folder in which the last process of the session worked at its end: where it started, unless a call moved it. */
function lastFolder(entries: readonly Entry[]): string | undefined {
  for (const entry of entries.toReversed()) {
    const folder = folderOf(entry);
    if (folder !== undefined) return folder;
  }
  return undefined;
}

function folderOf(entry: Entry): string | undefined {
  switch (entry.kind) {
    case "session":
      return entry.cwd;
    case "setup":
      return entry.isStart ? entry.cwd : undefined;
    case "results": {
      const moves = entry.message.content.flatMap((block) =>
        block.type === "tool_result" ? (block.movedTo ?? []) : [],
      );
      return moves.at(-1);
    }
    default:
      return undefined;
  }
}
