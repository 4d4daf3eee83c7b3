import { plural } from "@quoll/terminal-text/plural";
import type { InstructionText } from "../../contracts/instructions.ts";
import type { Answerer } from "../../contracts/session-config.ts";
import { CHARS_PER_TOKEN } from "../../contracts/token-estimate.ts";
import type { QueryEngine } from "../../engine/query-engine.ts";

/** Gives the model instruction texts that a call brought into force with its next request, and tells a person of each. */
export function announceInstructions(
  texts: readonly InstructionText[],
  answerer: Answerer,
  engine: Pick<QueryEngine, "taskNews" | "tell">,
): void {
  const [first] = texts;
  if (!first) return;
  engine.taskNews.addModelNote(`instructions:${first.path}`, texts.map(({ text }) => text).join("\n"));
  if (answerer !== "person") return;
  for (const { name, text } of texts)
    engine.tell(
      `Instructions in force from here on: ${name} (${plural(Math.ceil(text.length / CHARS_PER_TOKEN), "token")}).`,
    );
}
