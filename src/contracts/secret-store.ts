/** A store for small secret texts by name, in the keyring of the machine or in a private file. */
export interface SecretStore {
  /** Reads the newest text, even if another process wrote it. @throws {UserFacingError} the store is unusable. */
  read(name: string): Promise<string | undefined>;
  /** @returns the place where the text is stored, for people. @throws {UserFacingError} nothing was stored. */
  write(name: string, text: string): Promise<string>;
  /** @returns false if there was no such text. @throws {UserFacingError} the text may still be there. */
  remove(name: string): Promise<boolean>;
}
