import type { TerminalSettings } from "../../contracts/terminal-settings.ts";
import type { PromptSettings } from "../../faces/repl/repl-props.ts";

/** How the prompt of a screen edits. */
export function promptSettings({ ghostText = true, editorMode = "plain" }: TerminalSettings = {}): PromptSettings {
  return { ghostText, editorMode };
}
