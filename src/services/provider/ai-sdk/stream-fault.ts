import { errorMessage } from "../../../contracts/errors.ts";
import { BrokenStreamError, HttpError, RequestFailedError } from "../request/broken.ts";
import { field } from "../request/error-body.ts";

/** Errors of the AI SDK that mean an event was not what the wire's schema says, and what is wrong with it then. */
const MALFORMED: readonly (readonly [RegExp, string])[] = [
  [/JSONParseError/, "it is not valid JSON."],
  [/TypeValidationError/, "it does not have the form that the API documents."],
];
/** The stream ended too early. */
const BROKEN = /InvalidResponseDataError/;

/**
 * Makes one of our errors of what the SDK throws, or hands on in an `error` part: an event of the server's, an error of
 * the SDK itself, or one of the network.
 */
export function streamFault(error: unknown): Error {
  if (error instanceof BrokenStreamError || error instanceof RequestFailedError) return error;
  if (!(error instanceof Error)) return new RequestFailedError(new HttpError(undefined, { error }));
  const value = field(error, "value");
  if (field(value, "error")) return new RequestFailedError(new HttpError(undefined, value));
  const malformed = MALFORMED.find(([name]) => name.test(error.name))?.[1];
  if (malformed !== undefined) return new BrokenStreamError(malformed, undefined, { cause: error }, true);
  if (BROKEN.test(error.name)) return new BrokenStreamError(errorMessage(error), undefined, { cause: error });
  const frame = field(error, "data");
  if (typeof frame === "object" && frame !== null) {
    const body = "error" in frame || "response" in frame ? frame : { error: frame };
    return new RequestFailedError(new HttpError(undefined, body));
  }
  return new RequestFailedError(error);
}
