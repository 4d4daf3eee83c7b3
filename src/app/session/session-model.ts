import type { SessionConfig } from "../../contracts/session-config.ts";
import type { RuleLayer } from "../../contracts/settings.ts";
import { AgentPool } from "../../services/agents/agent-pool.ts";
import { chooseProvider, type ProviderChoice } from "../../services/provider/choose-provider.ts";
import { createProvider, type ProviderParts } from "../../services/provider/create-provider.ts";
import { openAgentTypes } from "../agent/agent-types.ts";
import { findMainAgent } from "../agent/main-agent.ts";
import { checkCaps, checkFallbacks, loadModel } from "../choose-model.ts";
import type { Closers } from "../closers.ts";
import { openExtensions } from "../extensions/open-extensions.ts";
import { withProviders } from "../model-access.ts";
import type { App } from "../open-app.ts";
import { openSkills } from "../skills/open-skills.ts";
import type { LeftOutPart } from "./notices/notify-left-out.ts";
import { openProjectConversation } from "./open-conversation.ts";
import { openProjectEnvironment, type ProjectEnvironment } from "./project-environment.ts";
import { promptAdditions } from "./session-prompt.ts";
import type { ProjectPorts } from "./settle-trust.ts";
import { unapprovedExtensions } from "./wire-extensions.ts";
import { lazyRedactor } from "./wire-safety.ts";

/** The layers of settings that count before the model that a resumed session used last. */
const GIVEN: ReadonlySet<RuleLayer> = new Set(["settings-flag", "flag", "managed"]);

function isModelGiven({ live }: Pick<ProjectEnvironment, "live">): boolean {
  return live.loaded.layers.some(({ name, value }) => GIVEN.has(name) && value.model !== undefined);
}

/** A session that is being opened. `ports`: its callbacks. */
export type Opening<Ports = ProjectPorts> = {
  readonly app: App;
  readonly config: SessionConfig;
  readonly ports: Ports;
  readonly closers: Closers;
};

/**
 * Opens the project, the conversation and the model that answers in it.
 * @throws {UserFacingError} the user can fix the problem: a setting, an option, a missing key, a locked session.
 */
export async function openSessionModel({ app, config: given, ports, closers }: Opening) {
  const environment = await openProjectEnvironment(app, given, ports);
  if (!ports.askApproval) await notifyOfUnapproved(environment, ports);
  const { settings } = environment;
  const catalog = app.catalog(settings);
  const hasScreen = ports.askTrust !== undefined;
  const { clock, version } = app;
  const opening = { clock, version, closers, hasScreen, notify: ports.startupWarning };
  const extensions = await openExtensions(given, environment, opening);
  if (ports.askApproval) for (const line of unapprovedExtensions(extensions)) ports.startupWarning(line);
  const access = withProviders(app.access(settings), extensions.providers);
  const conversation = await openProjectConversation(given, app, environment.project);
  closers.defer(() => conversation.close());
  const leftOut: LeftOutPart[] = [];
  const leaveOut = (part: LeftOutPart) => void leftOut.push(part);
  const types = await openAgentTypes(given, environment, leaveOut);
  const asked = await findMainAgent({
    config: given,
    settings,
    isModelGiven: isModelGiven(environment),
    isTrusted: environment.isTrusted,
    conversation,
    types,
    access,
    notify: ports.startupWarning,
  });
  const { config, mainAgent } = asked;
  const choice = await chooseProvider(asked.model, access);
  const provider = await openProvider(choice, config, { clock, catalog, rateLimits: access.rateLimits });
  await loadModel(choice, catalog);
  await checkCaps(choice.model, environment, config, catalog);
  await checkFallbacks(config, access);
  const { outputSchema } = config;
  const shape = outputSchema && (await (await import("./output-shape.ts")).outputShape(outputSchema));
  const laterSecrets: (() => readonly string[])[] = [];
  const redactor = lazyRedactor(environment, () => [...access.keys(), ...laterSecrets.flatMap((list) => list())]);
  const skills = await openSkills(config, environment, { onWarning: leaveOut, clock });
  if (!config.asksNoModel && leftOut.length + skills.renamed.length > 0)
    (await import("./notices/notify-left-out.ts")).notifyLeftOut(
      { parts: leftOut, renamed: skills.renamed },
      environment,
      ports,
    );
  const delegation = { types, pool: new AgentPool(settings.agents?.maxRunning), main: mainAgent };
  const additions = await promptAdditions(config, environment, { notify: ports.startupWarning, redactor });
  return {
    config,
    conversation,
    environment,
    catalog,
    access,
    choice,
    provider,
    redactor,
    laterSecrets,
    additions,
    skills,
    delegation,
    extensions,
    ...(shape && { shape }),
  };
}

type OfApp = Pick<ProviderParts, "clock" | "catalog" | "rateLimits">;

function openProvider(choice: ProviderChoice, { answerer }: SessionConfig, { clock, catalog, rateLimits }: OfApp) {
  const hasPerson = answerer === "person";
  return createProvider(choice, { clock, random: Math.random, catalog, rateLimits, hasPerson });
}

async function notifyOfUnapproved(
  { unapproved, approvals }: ProjectEnvironment,
  ports: Pick<ProjectPorts, "startupWarning">,
): Promise<void> {
  if (unapproved.length === 0) return;
  const { unapprovedLines } = await import("./notices/left-out-lines.ts");
  for (const line of unapprovedLines(unapproved, approvals)) ports.startupWarning(line);
}

export type SessionModel = Awaited<ReturnType<typeof openSessionModel>>;
