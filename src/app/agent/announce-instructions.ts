import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import type { InstructionText } from "../../contracts/instructions.ts";
import type { Answerer } from "../../contracts/session-config.ts";
import { CHARS_PER_TOKEN } from "../../contracts/token-estimate.ts";
import type { QueryEngine } from "../../engine/query-engine.ts";

const MAX_NAME_COLUMNS = 200;

/** Adds instruction texts that a call made active to the model's next request, and tells a person about each text. */
export function announceInstructions(
  texts: readonly InstructionText[],
  answerer: Answerer,
  engine: Pick<QueryEngine, "taskNews" | "notify">,
): void {
  for (const { path, name, text } of texts) {
    engine.taskNews.addModelNote(`instructions:${path}`, text);
    const tokens = plural(Math.ceil(text.length / CHARS_PER_TOKEN), "token");
    if (answerer === "person")
      engine.notify(`Added the instructions of ${oneLine(name, MAX_NAME_COLUMNS)} (${tokens}).`);
  }
}
