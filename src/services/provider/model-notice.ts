import { NO_USAGE } from "../../contracts/message.ts";
import type { ModelCatalog } from "../../contracts/ports.ts";
import type { ProviderEvent } from "../../contracts/provider.ts";

/** Tells what a person should know of a model before it answers: that the tables don't know it, that it has no tools. Once each. */
export class ModelNotice {
  readonly #catalog: ModelCatalog;
  readonly #told = new Set<string>();

  constructor(catalog: ModelCatalog) {
    this.#catalog = catalog;
  }

  async *of(model: string): AsyncGenerator<ProviderEvent, void> {
    const { known, tools } = this.#catalog.capabilities(model);
    if (!known && this.#isNew("unknown")) yield { type: "notice", message: await this.#guesses(model) };
    if (!tools && this.#isNew(`no tools ${model}`)) {
      const message = `The model "${model}" can't call tools: it can only answer in words (setting models.${model}.tools).`;
      yield { type: "notice", message };
    }
  }

  async #guesses(model: string): Promise<string> {
    const { contextWindow, maxOutputTokens } = this.#catalog.capabilities(model);
    const price = await this.#catalog.cost(model, { ...NO_USAGE, inputTokens: 1 }).catch(() => undefined);
    const unpriced = price === undefined ? ", and its price is unknown" : "";
    return `The model "${model}" is not in the table of models: a window of ${contextWindow} tokens and at most ${maxOutputTokens} tokens of output are assumed${unpriced} (setting models.${model} corrects that).`;
  }

  #isNew(what: string): boolean {
    const isNew = !this.#told.has(what) && this.#told.size < MAX_TOLD;
    this.#told.add(what);
    return isNew;
  }
}

/** Models that one provider object is asked for in turn. */
const MAX_TOLD = 100;
