import { UserFacingError } from "../../../contracts/errors.ts";
import type { Thinking } from "../../../contracts/provider.ts";
import type { SessionConfig } from "../../../contracts/session-config.ts";
import type { Settings } from "../../../contracts/settings.ts";
import type { Environment } from "../../../platform/env.ts";

const VARIABLE = "MAX_THINKING_TOKENS";

/**
 * Decides how a session's model thinks: by the configuration, otherwise the setting, otherwise the variable. If
 * undefined, the model decides.
 * @throws {UserFacingError} (exit 2) the variable is not a number.
 */
export function resolveThinking(
  { thinking }: Pick<SessionConfig, "thinking">,
  settings: Pick<Settings, "maxThinkingTokens">,
  environment: Environment,
): Thinking | undefined {
  return thinking ?? settings.maxThinkingTokens ?? tokensOf(environment[VARIABLE]?.trim());
}

function tokensOf(value: string | undefined): number | undefined {
  if (value === undefined || value === "") return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new UserFacingError(
    `${VARIABLE} is "${value.slice(0, 40)}": it must be a whole number of tokens, 0 for no thinking.`,
    2,
  );
}
