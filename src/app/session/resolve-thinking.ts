import { UserFacingError } from "../../contracts/errors.ts";
import type { Thinking } from "../../contracts/provider.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { Settings } from "../../contracts/settings.ts";
import type { Environment } from "../../platform/env.ts";

const VARIABLE = "MAX_THINKING_TOKENS";

/**
 * How a session's model thinks: as its configuration says, else the setting, else the variable. Undefined: as the model does
 * by itself.
 * @throws {UserFacingError} (exit 2) the variable is no number.
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
