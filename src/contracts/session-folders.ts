/** The folders that a session works in, for a person. Paths in lines are shortened: `~/src/shop`. */
export type SessionFolders = {
  /** Lists every folder; the first is the starting folder. */
  list(): readonly string[];
  /**
   * Adds a folder until the session ends.
   * @param folder Absolute, relative to the working folder, or with `~`.
   * @returns its real path, and lines for the person.
   * @throws {UserFacingError} (as a rejection) the folder is missing or unreadable.
   */
  add(folder: string): Promise<{ readonly path: string; readonly isNew: boolean; readonly lines: readonly string[] }>;
};
