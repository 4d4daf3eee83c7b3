import type { ProviderSettings } from "../../contracts/provider-settings.ts";
import { vendorName, vendorOf, vendorOfModel } from "./vendors.ts";

export type Providers = Readonly<Record<string, ProviderSettings>>;

/** A model name with or without a provider prefix. */
export type ModelReference = { readonly provider: string | undefined; readonly model: string };

/**
 * Reads `provider/model` and `provider:model`, whichever separator comes first. The prefix counts only if it is
 * the name of a provider, because model names may contain the same separators.
 */
export function readReference(name: string, providers: Providers): ModelReference {
  const text = name.trim();
  const at = text.search(/[/:]/);
  if (at <= 0) return { provider: undefined, model: text };
  const front = text.slice(0, at);
  const provider = Object.hasOwn(providers, front) ? front : vendorName(front);
  const model = text.slice(at + 1).trim();
  return provider === undefined || model === "" ? { provider: undefined, model: text } : { provider, model };
}

/**
 * The provider of a model without a prefix: an endpoint that lists the model, otherwise the vendor whose names have
 * this form.
 */
export function providerOfModel(model: string, providers: Providers): string | undefined {
  const listed = Object.entries(providers).find(([, { models }]) => models?.includes(model));
  return listed?.[0] ?? vendorOfModel(model);
}

/** Resolves a provider's own `default`, `fast` and `best`; returns any other name unchanged. */
export function aliasOf(provider: string, model: string): string {
  const aliases = vendorOf(provider)?.aliases ?? {};
  const folded = model.toLowerCase();
  return Object.hasOwn(aliases, folded) ? (aliases[folded] ?? model) : model;
}

/** A model's name without vendor prefixes and suffixes: `us.anthropic.` or `anthropic/`, `-20250929`, `@20250929`, `-latest`, `-v1:0`. */
export function bareName(model: string): string {
  return model
    .toLowerCase()
    .replace(/^.*anthropic[./]/, "")
    .replace(/-v\d+(:\d+)?$/, "")
    .replace(/[-@](\d{8}|latest)$/, "");
}
