import { errorMessage } from "../../../contracts/errors.ts";
import { BrokenStreamError, HttpError, RequestFailedError } from "../request/broken-stream.ts";
import { field } from "../request/error-body.ts";

/** AI SDK errors for an event that does not match the wire's schema, with a description of the problem. */
const MALFORMED: readonly (readonly [RegExp, string])[] = [
  [/JSONParseError/, "it is not valid JSON."],
  [/TypeValidationError/, "it does not have the form that the API documents."],
];
/** The stream ended too early. */
const BROKEN = /InvalidResponseDataError/;

/**
 * Converts an error that the SDK throws, or passes on in an `error` part, to an error of Quoll: an error event of the
 * server, an error of the SDK, or a network error.
 */
export function streamFault(error: unknown): Error {
  if (error instanceof BrokenStreamError || error instanceof RequestFailedError) return error;
  if (!(error instanceof Error)) return new RequestFailedError(new HttpError(undefined, { error }));
  const value = field(error, "value");
  if (field(value, "error")) return new RequestFailedError(new HttpError(undefined, value));
  const malformed = MALFORMED.find(([name]) => name.test(error.name))?.[1];
  if (malformed !== undefined) return new BrokenStreamError(malformed, undefined, { cause: error, fault: "malformed" });
  if (BROKEN.test(error.name))
    return new BrokenStreamError(errorMessage(error), undefined, { cause: error, fault: "incomplete" });
  const frame = field(error, "data");
  if (typeof frame === "object" && frame !== null) {
    const body = "error" in frame || "response" in frame ? frame : { error: frame };
    return new RequestFailedError(new HttpError(undefined, body));
  }
  return new RequestFailedError(error);
}
