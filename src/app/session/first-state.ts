import { MAIN_AGENT } from "../../contracts/agent.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { Workspace } from "../../contracts/ports.ts";
import type { Thinking } from "../../contracts/provider.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { Settings } from "../../contracts/settings.ts";
import { SessionState } from "../../engine/session-state.ts";
import type { Environment } from "../../platform/env.ts";
import { modeOfAgent } from "../agent/main-agent.ts";
import type { SessionWatch } from "./notices/watch-session.ts";
import type { SessionModel } from "./session-model.ts";

const VARIABLE = "MAX_THINKING_TOKENS";

/** The state in which the main agent starts. @throws {UserFacingError} (exit 2) MAX_THINKING_TOKENS is not a number. */
export function firstState(chosen: SessionModel, watch: SessionWatch, workspace: Workspace): SessionState {
  const { config, environment, provider, choice, delegation } = chosen;
  const { settings, env } = environment;
  return new SessionState({
    mode: modeOfAgent(settings.defaultMode ?? "default", config.permissionMode ? undefined : delegation.main),
    model: { model: choice.model, provider: watch.provider(provider, MAIN_AGENT.spendSource) },
    effort: config.effort,
    thinking: resolveThinking(config, settings, env),
    workspace,
  });
}

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
