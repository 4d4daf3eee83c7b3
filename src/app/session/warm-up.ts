import type { Clock, Redactor } from "../../contracts/ports.ts";
import type { ModelTools } from "../../engine/model-tools.ts";
import { systemClock } from "../../platform/clock.ts";
import { observedFetch } from "../../platform/observed-fetch.ts";

/** The tools of nearly every session, in the order in which a first answer is likely to use them. */
const FIRST_TOOLS = ["Bash", "Read", "Grep", "Edit"];
/** On Node, this thread makes the connection, so the connection goes first. An answer that begins sooner is read first. */
const CONNECT_MS = 10;
/** When every answer begins that fast, the parts are loaded after this time nevertheless. */
const PATIENCE_MS = 250;

export type WarmUpParts = {
  readonly registry: Pick<ModelTools, "names" | "get">;
  /** Loads the code of questions; undefined if nobody can answer one. */
  questions?: (() => Promise<unknown>) | undefined;
  redactor(): Promise<Redactor>;
  readonly sandbox: { prepare(): Promise<void> };
  prepareCheckpoints(): Promise<void>;
};

/**
 * Loads the code of the first calls while the model is awaited, so that neither they nor an answer wait for it. A part that fails to load
 * fails again, with an error, when it is needed.
 */
export class WarmUp {
  /** Wraps a provider; its first request starts the warm-up. */
  readonly fetch = observedFetch((answer) => this.#sent(answer));
  readonly #clock: Pick<Clock, "sleep">;
  readonly #abort = new AbortController();
  /** The steps that are still to run, in order. */
  #steps: Step[] = [];
  /** These steps start programs, so they are added with the first request. */
  #laterSteps: readonly Step[] = [];
  #isLoading = false;
  #isSent = false;
  #isConnecting = false;
  /** Requests whose answer has not begun. */
  #unanswered = 0;
  #isLate = false;
  #wake: (() => void) | undefined;

  constructor(clock: Pick<Clock, "sleep"> = systemClock) {
    this.#clock = clock;
  }

  /** Sets the parts to load; nothing is loaded yet. */
  prepare(parts: WarmUpParts): void {
    this.#steps = codeSteps(parts);
    this.#laterSteps = startingSteps(parts);
  }

  /** Loads the code already before the first request. */
  begin(): void {
    this.#load();
  }

  /** Called when the session is closed: no more code is loaded. */
  stop(): void {
    this.#abort.abort(new Error("The session is closed."));
  }

  #sent(answer: Promise<unknown>): void {
    this.#unanswered += 1;
    const begun = () => {
      this.#unanswered -= 1;
    };
    answer.then(begun, begun);
    this.#wake?.();
    if (this.#isSent) return;
    this.#isSent = true;
    this.#isConnecting = true;
    this.#steps.push(...this.#laterSteps);
    const isLate = () => {
      this.#isLate = true;
      this.#wake?.();
    };
    this.#clock.sleep(PATIENCE_MS, this.#abort.signal).then(isLate, () => undefined);
    this.#load();
  }

  #load(): void {
    if (this.#isLoading) return;
    this.#isLoading = true;
    const ended = () => {
      this.#isLoading = false;
    };
    // Rejects only when the session is closed.
    this.#loadAll().then(ended, ended);
  }

  async #loadAll(): Promise<void> {
    while (this.#steps.length > 0) {
      await this.#pause();
      await this.#steps
        .shift()?.()
        .catch(() => undefined);
    }
  }

  /** True while an answer is read or its calls run. */
  get #isBusy(): boolean {
    return this.#unanswered === 0 && !this.#isLate;
  }

  /** Resolves when the program is idle, or was busy for too long. */
  async #pause(): Promise<void> {
    if (!this.#isSent) return this.#clock.sleep(0, this.#abort.signal);
    let waitMs = this.#isConnecting ? CONNECT_MS : 0;
    this.#isConnecting = false;
    do {
      if (this.#isBusy) {
        await this.#woken();
        waitMs = CONNECT_MS;
      }
      await this.#clock.sleep(waitMs, this.#abort.signal);
    } while (this.#isBusy);
  }

  /** Resolves at the next request, or when the program was busy for too long. */
  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

type Step = () => Promise<unknown>;

function codeSteps({ registry, questions, redactor }: WarmUpParts): Step[] {
  return [
    ...firstTools(registry).map((name) => async () => registry.get(name).tool.load?.()),
    ...(questions ? [questions] : []),
    // The redactor compiles its expressions at their first use.
    async () => (await redactor()).redact(""),
    readTimeZone,
  ];
}

function startingSteps({ registry, sandbox, prepareCheckpoints }: WarmUpParts): readonly Step[] {
  const tools = firstTools(registry);
  return [
    ...(tools.includes("Bash") ? [() => sandbox.prepare()] : []),
    ...(tools.includes("Bash") || tools.includes("Edit") ? [prepareCheckpoints] : []),
  ];
}

function firstTools({ names }: WarmUpParts["registry"]): readonly string[] {
  return FIRST_TOOLS.filter((name) => names.includes(name));
}

/** The runtime reads the time zone at its first use, which takes 5 to 9 ms: the spend ledger's name has the local date. */
async function readTimeZone(): Promise<void> {
  new Date().getTimezoneOffset();
}
