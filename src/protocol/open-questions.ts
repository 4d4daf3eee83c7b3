import { MAIN_AGENT } from "../contracts/agent.ts";
import { errorMessage } from "../contracts/errors.ts";
import type { Ids } from "../contracts/ports.ts";
import type {
  Answerer,
  Asker,
  AskingAgent,
  Question,
  QuestionChange,
  QuestionDesk,
  Reply,
} from "../contracts/question.ts";
import type { SessionConfig } from "../contracts/session-config.ts";

type Open = {
  readonly question: Question;
  /** Aborts when the question is settled. */
  readonly settled: AbortController;
  settle(reply: Reply): void;
};
type Joined = { readonly answer: Answerer; readonly left: AbortSignal };

/**
 * The open questions of a session, and all who can answer them. Each answerer gets every question; the first reply wins,
 * and the others learn that the question is settled. An abort counts as a rejection, and so does an answerer that fails.
 * A late answer is reported as late and has no effect.
 */
export class OpenQuestions implements QuestionDesk {
  readonly #open = new Map<string, Open>();
  readonly #listeners = new Set<(change: QuestionChange) => void>();
  readonly #answerers = new Set<Joined>();
  readonly #ids: Ids;
  readonly #by: SessionConfig["answerer"];

  /**
   * @param ids Makes ids for the questions of `asker`.
   * @param by Who can answer the questions of `asker`.
   */
  constructor(ids: Ids, by: SessionConfig["answerer"] = "nobody") {
    this.#ids = ids;
    this.#by = by;
  }

  get pending(): readonly Question[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  ask(question: Question, signal: AbortSignal): Promise<Reply> {
    if (signal.aborted) return Promise.resolve({ decision: "reject" });
    const { promise, resolve: settle } = Promise.withResolvers<Reply>();
    const open = { question, settle, settled: new AbortController() };
    const onAbort = () => this.#settle(question.id, { decision: "reject" }, undefined);
    this.#open.set(question.id, open);
    signal.addEventListener("abort", onAbort, { once: true });
    this.#notify({ type: "asked", question });
    for (const answerer of this.#answerers) void this.#offer(open, answerer);
    return promise.finally(() => signal.removeEventListener("abort", onAbort));
  }

  asker(agent: AskingAgent = MAIN_AGENT): Asker {
    return this.#asker(this.#by !== "nobody", agent);
  }

  personAsker(agent: AskingAgent = MAIN_AGENT): Asker {
    return this.#asker(this.#by === "person", agent);
  }

  #asker(canAsk: boolean, { agentId, parentAgentId, label }: AskingAgent): Asker {
    return {
      canAsk,
      ask: (question, signal) =>
        canAsk
          ? this.ask(
              { ...question, id: this.#ids.next(), agentId, parentAgentId, ...(label && { agentLabel: label }) },
              signal,
            )
          : Promise.resolve({ decision: "reject" }),
    };
  }

  reply(id: string, reply: Reply): boolean {
    return this.#settle(id, reply, reply);
  }

  answerWith(answer: Answerer): () => void {
    const leaving = new AbortController();
    const joined = { answer, left: leaving.signal };
    this.#answerers.add(joined);
    for (const open of this.#open.values()) void this.#offer(open, joined);
    return () => {
      this.#answerers.delete(joined);
      leaving.abort(new Error("Nobody answers here any more."));
    };
  }

  subscribe(listener: (change: QuestionChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A question that was settled in the meantime is offered to nobody. */
  async #offer({ question, settled }: Open, { answer, left }: Joined): Promise<void> {
    if (settled.signal.aborted) return;
    try {
      await answer(question, AbortSignal.any([settled.signal, left]));
    } catch (error) {
      const message = `The question got no answer: ${errorMessage(error)}`;
      this.#settle(question.id, { decision: "reject", message }, undefined);
    }
  }

  /** @param said Undefined if nobody replied. */
  #settle(id: string, reply: Reply, said: Reply | undefined): boolean {
    const open = this.#open.get(id);
    if (!open) return false;
    this.#open.delete(id);
    open.settle(reply);
    this.#notify({ type: "settled", question: open.question, ...(said && { reply: said }) });
    open.settled.abort(new Error("The question is settled."));
    return true;
  }

  #notify(change: QuestionChange): void {
    for (const listener of [...this.#listeners]) listener(change);
  }
}
