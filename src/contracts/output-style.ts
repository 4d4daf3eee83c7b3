/** The name for Quoll's default writing style. */
export const DEFAULT_STYLE = "default";

/** Names of styles are compared without regard to case. */
export function isSameStyle(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** How the model writes to the user: a Markdown file whose text becomes a part of the system prompt. */
export type OutputStyle = {
  /** The name of the style, in one printable line like the description. */
  readonly name: string;
  /** One line; empty where the file has none. */
  readonly description: string;
  readonly text: string;
  /** False if the system prompt leaves out the instructions about coding. */
  readonly keepsCoding: boolean;
  /** The absolute path of the style's file; absent for a built-in style. */
  readonly file?: string;
};

/** The output styles of a session. */
export type OutputStyles = {
  /** The name of the style that the system prompt contains. */
  readonly current: string;
  list(): Promise<readonly OutputStyle[]>;
  /**
   * Uses the style in the system prompt from the next request on, and saves it for this project.
   * @throws {UserFacingError} (as a rejection) there is no such style, a turn runs, or the settings can't be written.
   */
  choose(name: string): Promise<void>;
  /**
   * Uses the style from the next request on, and saves nothing.
   * @throws {UserFacingError} (as a rejection) there is no such style, or a turn runs.
   */
  use(name: string): Promise<void>;
};
