/** Something that would be lost can't be kept; the message is one phrase that says why. */
export class NotKeepableError extends Error {
  override name = "NotKeepableError";
}
