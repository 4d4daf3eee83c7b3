import { MAIN_AGENT } from "../../contracts/agent.ts";
import type { Workspace } from "../../contracts/ports.ts";
import { SessionState } from "../../engine/session-state.ts";
import { modeOfAgent } from "../agent/main-agent.ts";
import type { SessionWatch } from "./notices/watch-session.ts";
import type { SessionModel } from "./session-model.ts";
import { resolveThinking } from "./settings/resolve-thinking.ts";

/** The state in which the main agent starts. @throws {UserFacingError} (exit 2) MAX_THINKING_TOKENS is not a number. */
export function firstState(chosen: SessionModel, watch: SessionWatch, workspace: Workspace): SessionState {
  const { config, environment, provider, choice, mainAgent } = chosen;
  const { settings, env } = environment;
  return new SessionState({
    mode: modeOfAgent(settings.defaultMode ?? "default", config.permissionMode ? undefined : mainAgent),
    model: { model: choice.model, provider: watch.provider(provider, MAIN_AGENT.spendSource) },
    effort: config.effort,
    thinking: resolveThinking(config, settings, env),
    workspace,
  });
}
