/** Thrown when the person decides not to work in this folder. */
export class StartupCancelledError extends Error {
  override name = "StartupCancelledError";
}
