/** The person's file of key bindings. */
export type KeybindingsFile = {
  /** The path as a person knows it: `~/.config/quoll/keybindings.json`. */
  readonly shown: string;
  /** This check is synchronous, because the first key must not be handled before the file is read. */
  exists(): boolean;
  /** Reads the file's text; empty if the file is missing. @throws {Error} (as a rejection) the file can't be read. */
  read(): Promise<string>;
  /**
   * Replaces the file's text atomically.
   * @throws {UserFacingError} (as a rejection) the file can't be written, or `change` refuses.
   */
  change(change: (text: string) => string): Promise<void>;
  /** Calls back when the file appears, changes or is deleted. @returns a function that stops watching. */
  watch(changed: () => void): () => void;
};
