/** The person's file of key bindings. */
export type KeybindingsFile = {
  /** Its path as a person knows it: `~/.config/quoll/keybindings.json`. */
  readonly shown: string;
  /** Looked up without waiting: the first key must not be handled before the file is read. */
  exists(): boolean;
  /** Its text; empty if it is missing. @throws {Error} (as a rejection) it can't be read. */
  read(): Promise<string>;
  /** Replaces its text atomically. @throws {UserFacingError} (as a rejection) it can't be written, or `change` refuses. */
  change(change: (text: string) => string): Promise<void>;
  /** Calls back when the file appears, changes or goes. @returns a function that ends it. */
  watch(changed: () => void): () => void;
};
