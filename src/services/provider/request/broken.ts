import { errorMessage } from "../../../contracts/errors.ts";

/** The stream broke off, said that it failed, or fell silent. Always worth another try, unless the error's type says no. */
export class BrokenStreamError extends Error {
  override name = "BrokenStreamError";
  constructor(
    message: string,
    /** The `type` of an error event: `overloaded_error` … */
    readonly errorType?: string,
    options?: ErrorOptions,
    /** The server sent an event that is not what its API sends; the message says in what way. */
    readonly isMalformed = false,
  ) {
    super(message, options);
  }
}

/** A vendor's code or the network threw while a request was sent or its answer read; `cause` is what they threw. */
export class RequestFailedError extends Error {
  override name = "RequestFailedError";
  constructor(cause: unknown) {
    super(errorMessage(cause), { cause });
  }
}

/** The server said yes, but not with a stream of events: this is not the API. */
export class NoStreamError extends Error {
  override name = "NoStreamError";
  constructor(readonly contentType: string) {
    super(`the answer is ${contentType}`);
  }
}

/** The server answered with an error: by its status, or in the body of a 200 or an event. */
export class HttpError extends Error {
  override name = "HttpError";
  constructor(
    /** Undefined for an error event, which has none of its own. */
    readonly status: number | undefined,
    /** As the server sent it: parsed JSON, or a text. */
    readonly body: unknown,
    readonly headers?: Headers,
  ) {
    super(`the server answers with an error${status === undefined ? "" : ` (${status})`}`);
  }
}
