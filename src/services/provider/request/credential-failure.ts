import { errorMessage } from "../../../contracts/errors.ts";
import type { FailureContext } from "./failure-context.ts";
import type { Failure } from "./retry.ts";
import { sentence } from "./sentence.ts";

/** Messages of the clouds' own packages when no source gives access. */
const NONE =
  /could not (load|resolve).{0,40}(credentials|authentication)|no credentials|unable to detect a project id/i;
/** Messages of their SDKs when credentials are missing; the cause has the reason. */
const NOT_HAD = /failed to (acquire|resolve) .*credentials/i;
/** An expired login or an invalid key, which a retry cannot fix. */
const SPENT = /invalid_grant|invalid_rapt|invalid_client|expired|\bsso\b|reauth|private key|no such profile|json/i;
/** A named credential file is missing or can't be read. */
const NO_FILE = /\b(?:ENOENT|EACCES|ENOTDIR|EISDIR)\b/;

/**
 * A failure to obtain a cloud's own credentials, as opposed to a failure of the API; undefined for any other error.
 * @param causes The error and its causes, outermost first.
 */
export function credentialFailure(
  causes: readonly unknown[],
  { host, keyVariable }: Pick<FailureContext, "host" | "keyVariable">,
): Failure | undefined {
  const words = sentence(errorMessage(causes.at(-1)));
  const failure = { status: undefined, retryAfterMs: undefined };
  if (NONE.test(words)) {
    const message = `There are no credentials for ${host}: ${words} Set ${keyVariable}.`;
    return { ...failure, message, canRetry: false };
  }
  if (!causes.some((cause) => NOT_HAD.test(errorMessage(cause)))) return undefined;
  const isFile = NO_FILE.test(words);
  if (!isFile && SPENT.test(words)) {
    const message = `The credentials for ${host} are no longer valid: ${words} Log in to the cloud again, or set ${keyVariable}.`;
    return { ...failure, message, canRetry: false };
  }
  return { ...failure, message: `The credentials for ${host} could not be obtained: ${words}`, canRetry: !isFile };
}
