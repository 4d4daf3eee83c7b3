import { UserFacingError } from "../../contracts/errors.ts";
import { parseBaseUrl } from "./anthropic/base-url.ts";

const OFFLINE_MODEL = "offline";
const DEFAULT_ALIAS = "default";

type ProviderInput = {
  /** `--model`. */
  readonly flag: string | undefined;
  /** The setting `model`. */
  readonly setting: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

type AnthropicAccess = {
  readonly apiKey?: string;
  readonly authToken?: string;
  readonly baseUrl?: string;
};

/** `model` may be an alias: the catalogue resolves it. `fallback`: nobody chose offline, there is just no key. */
export type ProviderChoice =
  | { readonly provider: "anthropic"; readonly model: string; readonly access: AnthropicAccess }
  | { readonly provider: "offline"; readonly model: typeof OFFLINE_MODEL; readonly fallback: boolean };

/**
 * Decides who answers. The model: `--model`, else the setting, else ANTHROPIC_MODEL, else `default`.
 *
 * Access: ANTHROPIC_API_KEY, else ANTHROPIC_AUTH_TOKEN; a server on this machine (ANTHROPIC_BASE_URL on a loopback
 * address) needs neither. With no access and no model named, the offline engine answers.
 * @throws {UserFacingError} (exit 2) a model is named and nothing gives access to it, or the address is unusable.
 */
export function chooseProvider({ flag, setting, environment }: ProviderInput): ProviderChoice {
  const named = [
    { model: filled(flag), by: "--model" },
    { model: filled(setting), by: 'the setting "model"' },
    { model: filled(environment["ANTHROPIC_MODEL"]), by: "ANTHROPIC_MODEL" },
  ].find(({ model }) => model !== undefined);
  if (named?.model?.toLowerCase() === OFFLINE_MODEL) {
    return { provider: "offline", model: OFFLINE_MODEL, fallback: false };
  }
  const access = anthropicAccess(environment);
  if (access) return { provider: "anthropic", model: named?.model ?? DEFAULT_ALIAS, access };
  if (!named) return { provider: "offline", model: OFFLINE_MODEL, fallback: true };
  throw new UserFacingError(
    `There is no key for the model "${named.model}" (from ${named.by}): set ANTHROPIC_API_KEY, or use --model ${OFFLINE_MODEL}, which needs none.`,
    2,
  );
}

/** Undefined when nothing gives access. @throws {UserFacingError} (exit 2) the address is unusable. */
function anthropicAccess(environment: ProviderInput["environment"]): AnthropicAccess | undefined {
  const apiKey = filled(environment["ANTHROPIC_API_KEY"]);
  const authToken = filled(environment["ANTHROPIC_AUTH_TOKEN"]);
  const baseUrl = filled(environment["ANTHROPIC_BASE_URL"]);
  const where = baseUrl === undefined ? {} : { baseUrl };
  if (apiKey) return { apiKey, ...where };
  if (authToken) return { authToken, ...where };
  return baseUrl !== undefined && parseBaseUrl(baseUrl).isLoopback ? where : undefined;
}

function filled(value: string | undefined): string | undefined {
  return value?.trim() || undefined;
}
