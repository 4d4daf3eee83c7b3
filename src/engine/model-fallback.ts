import { errorMessage, type ProviderError } from "../contracts/errors.ts";
import type { EngineEvent } from "../contracts/event.ts";
import type { Provider } from "../contracts/provider.ts";

export type ChosenModel = { readonly provider: Provider; readonly model: string };

type Selecting = {
  readonly state: { readonly model: ChosenModel; fallBack(model: ChosenModel): void };
  /** @throws {UserFacingError} the model cannot be used. */
  selectModel(name: string): Promise<ChosenModel>;
};

/** The models that take over in a turn, one after the other, when the chosen model is overloaded; each is used once. */
export class ModelFallback {
  readonly #deps: Selecting;
  #waiting: readonly string[];

  constructor(fallbackModels: readonly string[], deps: Selecting) {
    this.#deps = deps;
    this.#waiting = fallbackModels;
  }

  get chosen(): ChosenModel {
    return this.#deps.state.model;
  }

  get hasMore(): boolean {
    return this.#waiting.length > 0;
  }

  /** Switches to the next usable fallback model. @returns false if no fallback model is left. */
  async *fallBack(error: ProviderError): AsyncGenerator<EngineEvent, boolean> {
    while (this.#waiting.length > 0) {
      const [name = "", ...rest] = this.#waiting;
      this.#waiting = rest;
      try {
        const chosen = await this.#deps.selectModel(name);
        if (chosen.model === this.chosen.model && chosen.provider.name === this.chosen.provider.name) continue;
        this.#deps.state.fallBack(chosen);
        yield { type: "notice", message: `${error.message} ${chosen.model} takes over.` };
        yield { type: "model_changed", model: chosen.model };
        return true;
      } catch (cause) {
        yield { type: "notice", message: `${name} can't take over: ${errorMessage(cause)}` };
      }
    }
    return false;
  }
}
