import { calcPrice, type MatchLogic, type ModelInfo, type PriceCalculation } from "@pydantic/genai-prices";
import { totalInputTokens, type Usage } from "../../contracts/message.ts";
import { bareName } from "./model-reference.ts";

/** The package's data for a model. `@pydantic/genai-prices` is loaded together with this file, at its first use. */
export type PackagedModel = { readonly contextWindow: number | undefined };

const NO_USAGE = { input_tokens: 0, output_tokens: 0 };
/** Suffixes that do not distinguish a model. */
const VERSION = /^([-@:](latest|preview|exp|free|\d{2}-\d{2}|\d{3,8}|\d{4}-\d{2}-\d{2}))*$/;

/** @param provider in the package's spelling. @returns undefined for an unknown model. */
export function packagedModel(name: string, provider: string): PackagedModel | undefined {
  const found = find(name, provider, NO_USAGE);
  return found && { contextWindow: found.model.context_window };
}

/** US dollars. @returns undefined for an unknown model. */
export function packagedPrice(name: string, provider: string, usage: Usage): number | undefined {
  const tokens = {
    input_tokens: totalInputTokens(usage),
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
  };
  return find(name, provider, tokens)?.total_price;
}

/**
 * The package matches by prefix and would mistake a newer model for an older one. Only an exact match of the model is
 * accepted.
 */
function find(name: string, provider: string, tokens: Parameters<typeof calcPrice>[0]): PriceCalculation | undefined {
  const calculated = calcPrice(tokens, name, { providerId: provider });
  return calculated && isVeryModel(calculated.model, name) ? calculated : undefined;
}

function isVeryModel({ id, match }: ModelInfo, name: string): boolean {
  const [asked, known] = [withoutZero(bareName(name)), withoutZero(bareName(id))];
  if (asked === known || isNamedBy(match, name.toLowerCase())) return true;
  return asked.startsWith(known) && VERSION.test(asked.slice(known.length));
}

/** True if the package lists this exact name. */
function isNamedBy(match: MatchLogic, name: string): boolean {
  if ("equals" in match) return match.equals.toLowerCase() === name;
  return "or" in match && match.or.some((each) => isNamedBy(each, name));
}

/** `claude-opus-4-0` and `claude-opus-4` are the same model. */
function withoutZero(name: string): string {
  return name.replace(/-0$/, "");
}
