import { textOf } from "../../../contracts/message.ts";
import type { Agent } from "../../agent/open-agent.ts";

const RESUMED = "The session was resumed, and its working folder is ";

/**
 * Tells the model of a resumed conversation, once, if its commands had moved to another folder than the one in which the session
 * now starts.
 */
export async function noteResumedFolder({ engine, workspace: { cwd } }: Pick<Agent, "engine" | "workspace">) {
  const texts = engine.conversation.messages.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === "tool_result" ? [textOf(block.content)] : block.type === "text" ? [block.text] : [],
    ),
  );
  const told = texts.findLastIndex((text) => text.includes(RESUMED));
  if (texts.length === told + 1) return;
  const { lastMove } = await import("../../../services/tools/bash/working-folder.ts");
  const folder = lastMove(texts.slice(told + 1));
  if (folder === undefined || folder === cwd) return;
  const [now, before] = [cwd, folder].map((path) => JSON.stringify(path));
  engine.taskNews.addModelNote("resumed-folder", `${RESUMED}${now} again, no longer ${before}.`);
}
