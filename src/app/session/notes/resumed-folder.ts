import { textOf } from "../../../contracts/message.ts";
import type { RestoredSession } from "../../../contracts/session.ts";
import type { Agent } from "../../agent/open-agent.ts";

const RESUMED = "The session was resumed, and its working folder is ";

type Parts = {
  readonly main: Pick<Agent, "engine" | "workspace">;
  readonly conversation: { readonly restored: Pick<RestoredSession, "entries"> | undefined };
};

/**
 * Tells the model of a resumed conversation, once, if the session now starts in another folder than before, or if its
 * commands had moved to another folder.
 */
export async function noteResumedFolder({ main, conversation: { restored } }: Parts) {
  const { engine, workspace } = main;
  const { cwd } = workspace;
  const texts = engine.conversation.messages.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === "tool_result" ? [textOf(block.content)] : block.type === "text" ? [block.text] : [],
    ),
  );
  const told = texts.findLastIndex((text) => text.includes(RESUMED));
  if (texts.length === told + 1) return;
  const { lastMove } = await import("../../../services/tools/bash/working-folder.ts");
  const folder = lastMove(texts.slice(told + 1)) ?? startFolder(restored);
  if (folder === undefined || folder === cwd) return;
  const [now, before] = [cwd, folder].map((path) => JSON.stringify(path));
  engine.taskNews.addModelNote("resumed-folder", `${RESUMED}${now} again, no longer ${before}.`);
}

/** The folder in which the last process of the session started. */
function startFolder(restored: Pick<RestoredSession, "entries"> | undefined): string | undefined {
  for (const entry of restored?.entries.toReversed() ?? [])
    if (entry.kind === "setup" || entry.kind === "session") return entry.cwd;
  return undefined;
}
