import { formatCount } from "@quoll/terminal-text/format-amount";
import { padText } from "@quoll/terminal-text/truncate-text";
import type { ModelOffer } from "../contracts/command.ts";
import type { Choice } from "../contracts/command-result.ts";

/** Wide enough for `128k` and `1.0M`. */
const WINDOW_COLUMNS = 5;

/**
 * The models as a list to choose from: the usable ones first, otherwise in the same order.
 * @param isPlain True for words in place of columns.
 */
export function modelChoices(offers: readonly ModelOffer[], inUse: string, isPlain = false): readonly Choice[] {
  const sorted = [...offers.filter(({ hasAccess }) => hasAccess), ...offers.filter(({ hasAccess }) => !hasAccess)];
  const width = Math.max(0, ...sorted.map(({ provider }) => provider.length));
  const priceColumns = Math.max(0, ...sorted.map(({ price }) => priceText(price).length));
  // An alias and its id are the same model: the id is selected, or the first name if the list has no id.
  const current = sorted.find(({ name }) => name === inUse) ?? sorted.find(({ model }) => model === inUse);
  const own: readonly Choice[] = current
    ? []
    : [{ label: inUse, names: [inUse], detail: "in use", input: `/model ${inUse}`, isCurrent: true }];
  const choices = sorted.map((offer): Choice => {
    const { name, model, provider, windowTokens, hasAccess } = offer;
    const window = windowTokens === undefined ? "" : formatCount(windowTokens);
    const isCurrent = offer === current;
    const mark = isCurrent ? "in use" : hasAccess ? "" : "no key";
    const detail = [
      padText(provider, width),
      window.padStart(WINDOW_COLUMNS),
      priceText(offer.price).padStart(priceColumns),
      padText(mark, "in use".length),
    ].join("  ");
    const isAlias = name !== model && !name.endsWith(`/${model}`);
    return {
      label: isAlias ? `${name} → ${model}` : name,
      names: [name, ...(isAlias ? [model] : [])],
      detail: isPlain ? spokenDetail(offer, mark) : detail,
      brief: mark || priceText(offer.price),
      about: aboutModel(offer),
      input: `/model ${name}`,
      ...(isCurrent && { isCurrent }),
    };
  });
  return [...own, ...choices];
}

/** The columns in words, for a screen that is heard. */
function spokenDetail({ provider, windowTokens, price }: ModelOffer, mark: string): string {
  const window = windowTokens === undefined ? "" : `context ${formatCount(windowTokens)}`;
  const isFree = price !== undefined && price.input + price.output === 0;
  const cost =
    price === undefined || isFree ? priceText(price) : `$${amount(price.input)} in, $${amount(price.output)} out`;
  return [provider, window, cost, mark].filter((part) => part !== "").join(", ");
}

/** The details in words, because a narrow window leaves out their columns. */
function aboutModel({ model, provider, windowTokens, price, hasAccess }: ModelOffer): readonly string[] {
  const window = windowTokens === undefined ? "context size unknown" : `context of ${formatCount(windowTokens)} tokens`;
  const cost =
    price === undefined || price.input + price.output === 0
      ? priceText(price)
      : `$${amount(price.input)} in, $${amount(price.output)} out per million tokens`;
  return [
    `${model} of ${provider}${hasAccess ? "" : `: no key, /login ${provider} asks for it`}`,
    `${window} · ${cost}`,
  ];
}

/** US dollars per million tokens, input and output: `$3/$15`. */
export function priceText(price: ModelOffer["price"]): string {
  if (price === undefined) return "price unknown";
  if (price.input === 0 && price.output === 0) return "free";
  return `$${amount(price.input)}/$${amount(price.output)}`;
}

function amount(usd: number): string {
  const rounded = Math.round(usd * 1_000) / 1_000;
  return Number.isInteger(rounded) ? `${rounded}` : rounded.toFixed(rounded < 0.1 ? 3 : 2);
}
