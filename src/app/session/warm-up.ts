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
  redactor(): Promise<Redactor>;
  readonly sandbox: { prepare(): Promise<void> };
};

/** Loads the code of the first calls while the model is awaited, so that neither they nor an answer wait for it. */
export class WarmUp {
  /** Wraps a provider; its first request starts the warm-up. */
  readonly fetch = observedFetch((answer) => this.#sent(answer));
  readonly #clock: Pick<Clock, "sleep">;
  readonly #abort = new AbortController();
  #parts: WarmUpParts | undefined;
  #isBegun = false;
  /** Requests whose answer has not begun. */
  #unanswered = 0;
  #isLate = false;
  #wake: (() => void) | undefined;

  constructor(clock: Pick<Clock, "sleep"> = systemClock) {
    this.#clock = clock;
  }

  /** Sets the parts to load; nothing is loaded yet. */
  prepare(parts: WarmUpParts): void {
    this.#parts = parts;
  }

  /** Loads the code already before the first request. The sandbox, which starts programs, waits for the request. */
  begin(): void {
    if (this.#isBegun || !this.#parts) return;
    this.#isBegun = true;
    this.#loadAtOnce([...codeSteps(this.#parts), readTimeZone]).catch(() => undefined);
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
    const parts = this.#parts;
    this.#parts = undefined;
    if (!parts) return;
    const steps = [...(this.#isBegun ? [] : codeSteps(parts)), ...sandboxSteps(parts)];
    // Rejects only when the session is closed.
    this.#load(steps).catch(() => undefined);
  }

  /** One part after the other. A part that fails to load fails again, with an error, when it is needed. */
  async #loadAtOnce(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      await this.#clock.sleep(0, this.#abort.signal);
      await step().catch(() => undefined);
    }
  }

  /** The same, in the moments in which no answer is read. */
  async #load(steps: readonly Step[]): Promise<void> {
    this.#clock.sleep(PATIENCE_MS, this.#abort.signal).then(
      () => {
        this.#isLate = true;
        this.#wake?.();
      },
      () => undefined,
    );
    for (const [at, step] of steps.entries()) {
      await this.#pause(at === 0);
      await step().catch(() => undefined);
    }
  }

  /** True while an answer is read or its calls run. */
  get #isBusy(): boolean {
    return this.#unanswered === 0 && !this.#isLate;
  }

  /** Resolves when the program is idle, or was busy for too long. */
  async #pause(isFirst: boolean): Promise<void> {
    let waitMs = isFirst ? CONNECT_MS : 0;
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

function codeSteps({ registry, redactor }: WarmUpParts): readonly Step[] {
  return [
    ...firstTools(registry).map((name) => async () => registry.get(name).tool.load?.()),
    // The redactor compiles its expressions at their first use.
    async () => (await redactor()).redact(""),
  ];
}

function sandboxSteps({ registry, sandbox }: WarmUpParts): readonly Step[] {
  return firstTools(registry).includes("Bash") ? [() => sandbox.prepare()] : [];
}

function firstTools({ names }: WarmUpParts["registry"]): readonly string[] {
  return FIRST_TOOLS.filter((name) => names.includes(name));
}

/** The runtime reads the time zone at its first use, which takes 5 to 9 ms: the spend ledger's name has the local date. */
async function readTimeZone(): Promise<void> {
  new Date().getTimezoneOffset();
}
