/** The name for Quoll's own way to write, without a style. */
export const DEFAULT_STYLE = "default";

/** Names of styles are compared without regard to case. */
export function isSameStyle(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** How the model writes to the user: a Markdown file whose text becomes a part of the system prompt. */
export type OutputStyle = {
  /** One printable line, as the description. */
  readonly name: string;
  /** One line; empty where the file has none. */
  readonly description: string;
  readonly text: string;
  /** False: the instructions about coding are left out of the system prompt. */
  readonly keepsCoding: boolean;
  /** Absolute; absent for a style that comes with Quoll. */
  readonly file?: string;
};

/** The output styles of a session. */
export type OutputStyles = {
  /** The name of the style in the system prompt. */
  readonly current: string;
  list(): Promise<readonly OutputStyle[]>;
  /**
   * Puts the style into the system prompt, from the next request on, and saves it for this project.
   * @throws {UserFacingError} (as a rejection) there is no such style, a turn runs, or the settings can't be written.
   */
  choose(name: string): Promise<void>;
};
