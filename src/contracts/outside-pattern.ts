/** Marks a suggestion that an answer writes into this setting instead of the allow rules. */
const SETTING = "sandbox.excludedCommands: ";

/** The suggestion that a command, as a pattern of `Bash(…)`, runs outside the sandbox from then on. */
export function outsideSuggestion(pattern: string): string {
  return `${SETTING}${pattern}`;
}

/** Separates allow rules from patterns of commands that run outside the sandbox. */
export function splitSuggestions(suggestions: readonly string[]): {
  readonly rules: readonly string[];
  readonly outside: readonly string[];
} {
  return {
    rules: suggestions.filter((text) => !text.startsWith(SETTING)),
    outside: suggestions.flatMap((text) => (text.startsWith(SETTING) ? [text.slice(SETTING.length)] : [])),
  };
}
