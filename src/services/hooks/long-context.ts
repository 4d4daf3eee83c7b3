import { withoutCutEnd } from "@quoll/terminal-text/cut-word";
import type { Hooks } from "../../contracts/hook.ts";

/** Longer context is written to a file. */
const MAX_CONTEXT_CHARS = 10_000;
const PREVIEW_CHARS = 2_000;

/**
 * Wraps hooks so that a long text for the model is replaced by its beginning and the path of a file with the whole
 * text.
 * @param save Writes a text.
 * @returns the file's path.
 */
export function withShortContext(hooks: Hooks, save: (text: string) => Promise<string>): Hooks {
  return {
    wants: (event, toolName) => hooks.wants(event, toolName),
    async run(input, signal) {
      const outcome = await hooks.run(input, signal);
      const { additionalContext: text } = outcome;
      if (text === undefined || text.length <= MAX_CONTEXT_CHARS) return outcome;
      const file = await save(text);
      const rest = `[The text of a hook has ${text.length} characters; this is its beginning. The whole text: ${file}]`;
      return { ...outcome, additionalContext: `${withoutCutEnd(text.slice(0, PREVIEW_CHARS))}\n${rest}` };
    },
  };
}
