import { type AgentSource, MAIN_AGENT } from "../../../contracts/agent.ts";
import type { Ids } from "../../../contracts/ports.ts";
import type { Asker, Question, Questions, Reply } from "../../../contracts/question.ts";
import { randomIds } from "../../../platform/clock.ts";

type AskingAgent = Pick<AgentSource, "agentId" | "parentAgentId" | "label">;
type Waiting = { readonly question: Question; readonly settle: (reply: Reply) => void };

/**
 * Questions that wait for a person. The first reply to a question wins; an abort counts as a rejection; a late answer
 * is reported as late and has no effect.
 */
export class PermissionBroker implements Questions {
  readonly #waiting = new Map<string, Waiting>();
  readonly #listeners = new Set<() => void>();
  readonly #ids: Ids;

  /** @param ids Makes ids for the questions of `asker`. */
  constructor(ids: Ids = randomIds) {
    this.#ids = ids;
  }

  get pending(): readonly Question[] {
    return [...this.#waiting.values()].map(({ question }) => question);
  }

  /** Waits for the answer. Never rejects. */
  ask(question: Question, signal: AbortSignal): Promise<Reply> {
    if (signal.aborted) return Promise.resolve({ decision: "reject" });
    const { promise, resolve: settle } = Promise.withResolvers<Reply>();
    const onAbort = () => {
      this.reply(question.id, { decision: "reject" });
    };
    this.#waiting.set(question.id, { question, settle });
    signal.addEventListener("abort", onAbort, { once: true });
    this.#notify();
    return promise.finally(() => signal.removeEventListener("abort", onAbort));
  }

  /**
   * Returns the port through which a service asks its own questions. If nobody can answer, each question is rejected at
   * once.
   */
  asker(canAsk: boolean, { agentId, parentAgentId, label }: AskingAgent = MAIN_AGENT): Asker {
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
    const waiting = this.#waiting.get(id);
    if (!waiting) return false;
    this.#waiting.delete(id);
    waiting.settle(reply);
    this.#notify();
    return true;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
