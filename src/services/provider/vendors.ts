import type { EndpointQuirks, ProviderType } from "../../contracts/provider-settings.ts";
import data from "./vendors.json" with { type: "json" };

/** A provider that is known by name. */
export type Vendor = {
  readonly type: ProviderType;
  readonly baseUrl?: string;
  /** The variable that sets the address. */
  readonly baseUrlEnv?: string;
  /** The variables for the key; the first variable that is set is used. */
  readonly keyEnv: readonly string[];
  /** The vendor's model names, as a regular expression. */
  readonly models?: string;
  /** The vendor's name in the price package. */
  readonly prices?: string;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly quirks?: EndpointQuirks;
  /** True if its API has a web search. */
  readonly searchesWeb?: boolean;
  /** A server on the user's machine, which costs nothing. */
  readonly isLocal?: boolean;
};

const VENDORS: Readonly<Record<string, Vendor>> = data as Readonly<Record<string, Vendor>>;
/** Other spellings of vendor names. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  gemini: "google",
  "x-ai": "xai",
  "llama.cpp": "llamacpp",
  "llama-cpp": "llamacpp",
  "lm-studio": "lmstudio",
  claude: "anthropic",
  "aws-bedrock": "bedrock",
};

export const VENDOR_NAMES: readonly string[] = Object.keys(VENDORS);

/** The vendor's name in Quoll's table, for any case and spelling; undefined for an unknown name. */
export function vendorName(name: string): string | undefined {
  const folded = name.trim().toLowerCase();
  const known = Object.hasOwn(OTHER_NAMES, folded) ? OTHER_NAMES[folded] : folded;
  return known !== undefined && Object.hasOwn(VENDORS, known) ? known : undefined;
}

export function vendorOf(name: string): Vendor | undefined {
  return Object.hasOwn(VENDORS, name) ? VENDORS[name] : undefined;
}

/** The vendor that makes or serves a model, by the form of the name; undefined if the form is not typical. */
export function vendorOfModel(model: string): string | undefined {
  const folded = model.toLowerCase();
  const matches = VENDOR_NAMES.filter((name) => isNamed(VENDORS[name]?.models, folded));
  // A dated Vertex name is also an Anthropic model.
  return matches.find((name) => name === "vertex") ?? matches[0];
}

function isNamed(pattern: string | undefined, model: string): boolean {
  return pattern !== undefined && new RegExp(pattern).test(model);
}
