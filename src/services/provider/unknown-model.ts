import type { ModelCatalog } from "../../contracts/ports.ts";
import type { ProviderEvent } from "../../contracts/provider.ts";

/** Tells of a model that the table does not know, once for each provider object. */
export class UnknownModelNotice {
  readonly #catalog: ModelCatalog;
  #isTold = false;

  constructor(catalog: ModelCatalog) {
    this.#catalog = catalog;
  }

  *of(model: string): Generator<ProviderEvent, void> {
    const { known, contextWindow, maxOutputTokens } = this.#catalog.capabilities(model);
    if (known || this.#isTold) return;
    this.#isTold = true;
    yield {
      type: "notice",
      message: `The model "${model}" is not in the table of models: a window of ${contextWindow} tokens and at most ${maxOutputTokens} tokens of output are assumed, and its price is unknown.`,
    };
  }
}
