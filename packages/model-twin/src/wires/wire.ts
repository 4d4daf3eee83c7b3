import type { Answer, Refusal } from "../deliver.ts";
import type { Reply, ScenarioRequest } from "../scenario.ts";

/**
 * A request whose body was read completely. `body` is undefined when the bytes are not JSON; `bodyProblem` then says
 * why.
 */
export type ReceivedRequest = ScenarioRequest & {
  /** The text after `?` in the URL; empty if there is none. */
  readonly query: string;
  readonly bodyText: string;
  readonly bodyProblem?: string | undefined;
  /** True if the body is larger than the limit of the API; `body` is undefined. */
  readonly isTooLarge: boolean;
  /** Unique in this twin, counts from 1. */
  readonly number: number;
};

/** The result of a request. `rejected`: all problems, as `where: what`; empty if it was accepted. */
export type Outcome = { readonly answer: Answer | Refusal; readonly rejected: readonly string[] };

/** One provider's HTTP protocol. A wire is added to the list in `server.ts`; the first one also answers paths that no wire owns. */
export interface Wire {
  readonly name: string;
  /** True if this path belongs to the wire, for any method. */
  owns(path: string): boolean;
  /**
   * Validates a request and answers it. `next` takes the scenario's next reply: undefined when it is used up. A
   * rejected request, or one without an answer (a token count), takes no reply.
   */
  handle(request: ReceivedRequest, next: () => Promise<Reply | undefined>): Promise<Outcome>;
}
