import { MAIN_AGENT } from "../../contracts/agent.ts";
import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import type { Workspace } from "../../contracts/ports.ts";
import type { Provider } from "../../contracts/provider.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import { SessionState } from "../../engine/session-state.ts";
import type { ProviderChoice } from "../../services/provider/choose-provider.ts";
import { modeOfAgent } from "../agent/main-agent.ts";
import type { SessionWatch } from "./notices/watch-session.ts";
import type { ProjectEnvironment } from "./project-environment.ts";
import { resolveThinking } from "./settings/resolve-thinking.ts";

type Parts = {
  readonly workspace: Workspace;
  readonly place: ProjectEnvironment;
  readonly provider: Provider;
  readonly choice: ProviderChoice;
  readonly watch: SessionWatch;
  readonly mainAgent?: AgentDefinition;
};

/** The state in which the main agent starts. @throws {UserFacingError} (exit 2) MAX_THINKING_TOKENS is not a number. */
export function firstState(config: SessionConfig, parts: Parts): SessionState {
  const { place, workspace, provider, choice, watch, mainAgent } = parts;
  const { settings, env } = place;
  return new SessionState({
    mode: modeOfAgent(settings.defaultMode ?? "default", config.permissionMode ? undefined : mainAgent),
    model: { model: choice.model, provider: watch.provider(provider, MAIN_AGENT.spendSource) },
    effort: config.effort,
    thinking: resolveThinking(config, settings, env),
    workspace,
  });
}
