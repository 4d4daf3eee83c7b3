import type { TerminalSettings } from "../../contracts/terminal-settings.ts";
import type { PromptSettings } from "../../faces/repl/repl-props.ts";

/** How the prompt of a screen edits, and how the screen shows changes. */
export function promptSettings(settings: TerminalSettings = {}): PromptSettings {
  const { ghostText = true, editorMode = "plain", diff = "auto" } = settings;
  return { ghostText, editorMode, diff };
}
