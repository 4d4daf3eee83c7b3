import { oneLine } from "@quoll/terminal-text/one-line";
import { LoginError } from "./oauth/login-error.ts";
import type { ServerLogin } from "./oauth/server-login.ts";
import { httpStatus } from "./transport/session-error.ts";

const MAX_SCOPE_COLUMNS = 100;

/** The way to a login, for people. */
export function loginAdvice(name: string): string {
  return `run \`quoll mcp login ${/^[\w.-]+$/.test(name) ? name : JSON.stringify(name)}\``;
}

/**
 * One line for a request that failed because a login is missing, lacks scopes or can't be renewed; undefined for any
 * other error.
 */
export function loginNeed(
  login: Pick<ServerLogin, "problem" | "wantedScope">,
  { name, error }: { readonly name: string; readonly error: unknown },
): string | undefined {
  if (error instanceof LoginError) return error.message;
  const status = httpStatus(error);
  if (status === 401) return `${login.problem ?? "it needs a login"}: ${loginAdvice(name)}`;
  if (status !== 403 || login.wantedScope === undefined) return undefined;
  return `its login lacks the permission ${oneLine(login.wantedScope, MAX_SCOPE_COLUMNS)}: ${loginAdvice(name)} to grant it`;
}
