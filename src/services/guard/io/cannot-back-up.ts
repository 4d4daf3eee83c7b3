/** Data that would be lost can't be backed up; the message is one phrase with the reason. */
export class CannotBackUpError extends Error {
  override name = "CannotBackUpError";
}
