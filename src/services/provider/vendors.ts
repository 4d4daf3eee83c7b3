import type { EndpointQuirks, ProviderType } from "../../contracts/settings.ts";
import data from "./vendors.json" with { type: "json" };

/** A provider that is known by its name. */
export type Vendor = {
  readonly type: ProviderType;
  readonly baseUrl?: string;
  /** The variable that sets the address. */
  readonly baseUrlEnv?: string;
  /** The variables that may hold the key; the first that is set counts. */
  readonly keyEnv: readonly string[];
  /** Names of models that are its own, as a regular expression. */
  readonly models?: string;
  /** Its name in the price package. */
  readonly prices?: string;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly quirks?: EndpointQuirks;
  /** A server on one's own machine: it costs nothing. */
  readonly isLocal?: boolean;
};

const VENDORS: Readonly<Record<string, Vendor>> = data as Readonly<Record<string, Vendor>>;
/** Other names that people know them by. */
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

/** The name that a vendor has here, whatever the case and for other spellings; undefined for an unknown one. */
export function vendorName(name: string): string | undefined {
  const folded = name.trim().toLowerCase();
  const known = Object.hasOwn(OTHER_NAMES, folded) ? OTHER_NAMES[folded] : folded;
  return known !== undefined && Object.hasOwn(VENDORS, known) ? known : undefined;
}

export function vendorOf(name: string): Vendor | undefined {
  return Object.hasOwn(VENDORS, name) ? VENDORS[name] : undefined;
}

/** Which vendor makes or serves a model, by the form of its name; undefined for a name that tells nothing. */
export function vendorOfModel(model: string): string | undefined {
  const folded = model.toLowerCase();
  const matches = VENDOR_NAMES.filter((name) => isNamed(VENDORS[name]?.models, folded));
  // A dated name of Vertex is one of Anthropic's models too.
  return matches.find((name) => name === "vertex") ?? matches[0];
}

function isNamed(pattern: string | undefined, model: string): boolean {
  return pattern !== undefined && new RegExp(pattern).test(model);
}
