import { NO_USAGE } from "../../contracts/message.ts";
import type { ModelCatalog } from "../../contracts/ports.ts";
import type { ProviderEvent } from "../../contracts/provider.ts";
import { loadedWindowLine } from "../../contracts/window-limits.ts";

/** Returns notices about a model before it answers: the tables do not know the model, or the model has no tools. Each notice appears once. */
export class ModelNotice {
  readonly #catalog: ModelCatalog;
  readonly #told = new Set<string>();

  constructor(catalog: ModelCatalog) {
    this.#catalog = catalog;
  }

  async *of(model: string): AsyncGenerator<ProviderEvent, void> {
    const { known, tools, contextWindow, isLoadedWindow } = this.#catalog.capabilities(model);
    if (isLoadedWindow && contextWindow < SMALL_WINDOW && this.#isNew(`loaded ${model}`))
      yield { type: "notice", message: loadedWindowLine(model, contextWindow) };
    if (!known && this.#isNew("unknown")) yield { type: "notice", message: await this.#guesses(model) };
    if (!tools && this.#isNew(`no tools ${model}`)) {
      const message = `The model "${model}" cannot call tools: it can only answer with text (setting models.${model}.tools).`;
      yield { type: "notice", message };
    }
  }

  async #guesses(model: string): Promise<string> {
    const { contextWindow, maxOutputTokens } = this.#catalog.capabilities(model);
    const price = await this.#catalog.cost(model, { ...NO_USAGE, inputTokens: 1 }).catch(() => undefined);
    const unpriced = price === undefined ? ", and the price is unknown" : "";
    return `Quoll has no data about the model "${model}": it assumes a window of ${contextWindow} tokens and at most ${maxOutputTokens} output tokens${unpriced} (correct this with the setting models.${model}).`;
  }

  #isNew(what: string): boolean {
    const isNew = !this.#told.has(what) && this.#told.size < MAX_TOLD;
    this.#told.add(what);
    return isNew;
  }
}

/** A model with a smaller window than this does long work poorly, in tokens. */
const SMALL_WINDOW = 32_768;
/** The maximum number of models for which a provider object remembers notices. */
const MAX_TOLD = 100;
