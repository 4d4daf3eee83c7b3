/** A login, or its renewal, failed. The message is one line that continues after the server's name and a colon. */
export class LoginError extends Error {
  override name = "LoginError";
}
