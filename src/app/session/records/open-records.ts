import type { RestoredSession } from "../../../contracts/session.ts";
import type { Settings } from "../../../contracts/settings.ts";
import { shortPath } from "../../../platform/directories.ts";
import type { Environment } from "../../../platform/env.ts";
import { entryExists } from "../../../platform/paths.ts";
import { takeEndedCommands } from "../../../platform/processes/orphan-watch.ts";
import type { Telemetry } from "../../../services/telemetry/create-telemetry.ts";
import { lastWorktree } from "../../worktree/wire-main-worktree.ts";
import { recordsOf } from "../../worktree/worktree-folders.ts";
import { sessionRecalls } from "../notes/session-recalls.ts";
import { watchSession } from "../notices/watch-session.ts";
import { endedCommandsFile } from "../open-orphan-watch.ts";
import type { ProjectEnvironment } from "../project-environment.ts";
import type { Opening, SessionModel } from "../session-model.ts";
import { sessionWeb } from "../session-web.ts";
import { openDebugging } from "./lazy-debug-log.ts";
import type { TelemetryWiring } from "./wire-telemetry.ts";

/** Quoll's own variable, which turns telemetry on or off for a run. */
const OWN_SWITCH = "QUOLL_TELEMETRY";
const YES = /^(?:1|true|yes|on)$/i;

/** Opens the records of the session: its files on disk and its telemetry. */
export async function openRecords({ app, config, ports, closers }: Opening, chosen: SessionModel) {
  const { environment, catalog, choice, redactor, conversation } = chosen;
  const { clock, own, version } = app;
  const { startupWarning: notify } = ports;
  const { project } = environment;
  const { sessionId } = conversation.log;
  const leftOver = await leftOverLines(app, environment, conversation.restored);
  for (const warning of [...conversation.warnings, ...leftOver]) notify(warning);
  const isInteractive = ports.askTrust !== undefined;
  const telemetry = await lazyTelemetry({ environment, version, notify, catalog, sessionId, isInteractive, redactor });
  closers.defer(() => telemetry?.close());
  const debugging = await openDebugging({
    around: app,
    version,
    sessionId,
    topics: config.debug,
    isSaved: config.isSaved,
    about: [`in ${shortPath(project.cwd, own.home)}, with ${choice.model}`],
    clock,
    redactor,
    notify,
  });
  closers.defer(() => debugging.close());
  const watch = watchSession(telemetry, debugging.log);
  const recall = sessionRecalls({ own, project, conversation, settings: environment.settings, redactor });
  closers.defer(() => recall.close());
  return {
    recall,
    web: sessionWeb(environment, version, await canSearch(chosen)),
    telemetry,
    debugging,
    watch,
  };
}

export type SessionRecords = Awaited<ReturnType<typeof openRecords>>;

/** True if somebody can answer WebSearch when the session begins. */
async function canSearch({
  environment: { settings, env },
  provider,
  access: { credentials },
}: SessionModel): Promise<boolean> {
  if (provider.searchesWeb) return true;
  const { chooseSearch } = await import("../choose-search.ts");
  return (await chooseSearch({ settings, provider, env, credentials })) !== undefined;
}

/**
 * One line for each leftover of a killed session: commands that were ended, and worktrees that stay. Each leftover is
 * reported once.
 * @param restored The opened conversation, whose worktree is not touched.
 */
async function leftOverLines(
  app: Parameters<typeof endedCommandsFile>[0],
  environment: ProjectEnvironment,
  restored: RestoredSession | undefined,
): Promise<readonly string[]> {
  const ended = takeEndedCommands(endedCommandsFile(app)).map(
    (line) => `Quoll was killed while this command ran, so the command was ended: ${line}`,
  );
  if (!entryExists(recordsOf(environment.own, environment.project.id))) return ended;
  const { abandonedLines } = await import("../../worktree/abandoned-worktrees.ts");
  return [...ended, ...(await abandonedLines(environment, lastWorktree(restored), new AbortController().signal))];
}

/**
 * True if Quoll sends telemetry: only if the user's own settings or QUOLL_TELEMETRY turn it on. OpenTelemetry's own
 * variables never turn telemetry on, since they may be set for other programs; OTEL_SDK_DISABLED turns it off.
 */
function wantsTelemetry({ telemetry }: Pick<Settings, "telemetry">, env: Environment): boolean {
  if (env["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true") return false;
  const own = env[OWN_SWITCH]?.trim() ?? "";
  return own === "" ? telemetry?.enabled === true : YES.test(own);
}

/** The session's telemetry; undefined if telemetry is off, in which case its code is not loaded. */
async function lazyTelemetry(wiring: TelemetryWiring): Promise<Telemetry | undefined> {
  const { settings, env } = wiring.environment;
  if (!wantsTelemetry(settings, env)) return undefined;
  const { wireTelemetry } = await import("./wire-telemetry.ts");
  return wireTelemetry(wiring);
}
