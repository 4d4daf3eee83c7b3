import type { SessionConfig } from "../../contracts/session-config.ts";
import { promptSections, type SentSection } from "../../services/context/system-prompt.ts";

/** The system prompt of a session: its own sections or the text that replaces them, then the text that is added. */
export function systemSections(
  { systemPrompt: given, isBare }: Pick<SessionConfig, "systemPrompt" | "isBare">,
  tools: readonly string[],
): readonly SentSection[] {
  const { replace, append } = given ?? {};
  const own =
    replace === undefined ? promptSections({ tools, instructions: !isBare }) : [{ name: "replaced", text: replace }];
  return append === undefined ? own : [...own, { name: "appended", text: append }];
}
