import type { ProviderSettings } from "../../contracts/settings.ts";
import { vendorName, vendorOf, vendorOfModel } from "./vendors.ts";

export type Providers = Readonly<Record<string, ProviderSettings>>;

/** A model as people name it: with its provider in front, or alone. */
export type ModelReference = { readonly provider: string | undefined; readonly model: string };

/**
 * Reads `provider/model` and `provider:model`, whichever sign comes first. What stands in front counts only when it is
 * the name of a provider: other names of models hold such signs themselves.
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

/** Who serves a model that is named alone: an endpoint that lists it, else the vendor whose names look like that. */
export function providerOfModel(model: string, providers: Providers): string | undefined {
  const listed = Object.entries(providers).find(([, { models }]) => models?.includes(model));
  return listed?.[0] ?? vendorOfModel(model);
}

/** A provider's own name for `default`, `fast` and `best`; any other name as it is. */
export function aliasOf(provider: string, model: string): string {
  const aliases = vendorOf(provider)?.aliases ?? {};
  const folded = model.toLowerCase();
  return Object.hasOwn(aliases, folded) ? (aliases[folded] ?? model) : model;
}
