/** The person did not want to work in this folder. */
export class StartupCancelledError extends Error {
  override name = "StartupCancelledError";
}
