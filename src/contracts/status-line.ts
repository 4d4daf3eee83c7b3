/** The placeholder names that a template can contain in braces. */
export const TEMPLATE_NAMES = [
  "model",
  "folder",
  "branch",
  "context",
  "cost",
  "mode",
  "effort",
  "style",
  "lines",
  "time",
  "agent",
  "vim",
] as const;
export type TemplateName = (typeof TEMPLATE_NAMES)[number];

/** Facts of a screen for the status line. `vim`: the mode of the prompt's vim keys. */
export type StatusLineScreen = { readonly columns: number; readonly rows: number; readonly vim?: string };

/** The status line in effect, for a person. */
export type StatusLineState = {
  /** The command or the template; absent if neither is set. */
  readonly source?: { readonly type: "command" | "template"; readonly text: string; readonly file: string };
  readonly lines: readonly string[];
  /** Reasons why the lines are missing, or why another file's setting has no effect: one line each. */
  readonly problems: readonly string[];
  /** The file to which `/statusline` writes the setting, and the folder for its script: absolute. */
  readonly settingsFile: string;
  readonly folder: string;
};

/** The person's custom lines below the prompt. */
export interface StatusLine {
  /** At most three, safe to print. */
  readonly lines: readonly string[];
  /** Takes the facts of the screen; the lines are rebuilt if the facts changed. */
  look(screen: StatusLineScreen): void;
  /** @returns a function that removes the listener. */
  onChanged(listener: () => void): () => void;
  state(): Promise<StatusLineState>;
}
