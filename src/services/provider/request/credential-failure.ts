import { errorMessage } from "../../../contracts/errors.ts";
import type { FailureContext } from "./failure-context.ts";
import type { Failure } from "./retry.ts";
import { sentence } from "./sentence.ts";

/** What the clouds' own packages say when nothing gives access. */
const NONE =
  /could not (load|resolve).{0,40}(credentials|authentication)|no credentials|unable to detect a project id/i;
/** What their SDKs say when they wanted credentials and got none; the cause says why. */
const NOT_HAD = /failed to (acquire|resolve) .*credentials/i;
/** A login that ran out, or a key that is none: trying again can't help. */
const SPENT = /invalid_grant|invalid_rapt|invalid_client|expired|\bsso\b|reauth|private key|no such profile|json/i;

/**
 * A failure to get a cloud's own credentials, which is no failure of the API; undefined for any other.
 * @param causes the error and what caused it, outermost first.
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
  if (SPENT.test(words)) {
    const message = `The credentials for ${host} are not good any more: ${words} Log in to the cloud again, or set ${keyVariable}.`;
    return { ...failure, message, canRetry: false };
  }
  return { ...failure, message: `The credentials for ${host} could not be had: ${words}`, canRetry: true };
}
