import { errorMessage } from "../../../contracts/errors.ts";

const STREAM_TYPE = /event-?stream/i;

/**
 * `malformed`: the server sent an event that does not follow its API; the message says how. `incomplete`: the server ended the answer
 * itself before the message was complete, so that it would probably do so again.
 */
export type StreamFault = "malformed" | "incomplete";

/** The stream broke, reported a failure, or fell silent. Always worth a retry, unless the error's type excludes it. */
export class BrokenStreamError extends Error {
  override name = "BrokenStreamError";
  readonly fault: StreamFault | undefined;
  constructor(
    message: string,
    /** The `type` of an error event, such as `overloaded_error`. */
    readonly errorType?: string,
    { fault, ...options }: ErrorOptions & { readonly fault?: StreamFault } = {},
  ) {
    super(message, options);
    this.fault = fault;
  }
}

/** The vendor's code or the network threw during a request or its answer; `cause` is the original error. */
export class RequestFailedError extends Error {
  override name = "RequestFailedError";
  constructor(cause: unknown) {
    super(errorMessage(cause), { cause });
  }
}

/** True if a server says that its answer is an event stream. */
export function isEventStream({ headers }: Response): boolean {
  return STREAM_TYPE.test(headers.get("content-type") ?? "");
}

/** The server accepted the request but did not answer with an event stream, so it is not the expected API. */
export class NoStreamError extends Error {
  override name = "NoStreamError";
  constructor(readonly contentType: string) {
    super(`the answer is ${contentType}`);
  }
}

/** The server answered with an error: by its status, or in the body of a 200 or of an event. */
export class HttpError extends Error {
  override name = "HttpError";
  constructor(
    /** Undefined for an error event, which has no status. */
    readonly status: number | undefined,
    /** The server's body: parsed JSON, or text. */
    readonly body: unknown,
    readonly headers?: Headers,
  ) {
    super(`the server returned an error${status === undefined ? "" : ` (${status})`}`);
  }
}
