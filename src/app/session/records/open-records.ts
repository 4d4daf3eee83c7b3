import { shortPath } from "../../../platform/directories.ts";
import { sessionRecalls } from "../notes/session-recalls.ts";
import { leftOverLines } from "../notices/left-over-lines.ts";
import { watchSession } from "../notices/watch-session.ts";
import type { Opening, SessionModel } from "../session-model.ts";
import { sessionWeb } from "../session-web.ts";
import { openDebugging } from "./lazy-debug-log.ts";
import { lazyTelemetry } from "./lazy-telemetry.ts";

/** Opens the records of the session: its files on disk and its telemetry. */
export async function openRecords({ app, config, ports, closers }: Opening, chosen: SessionModel) {
  const { environment, catalog, choice, redactor, conversation } = chosen;
  const { clock, own, version } = app;
  const { startupWarning: warn } = ports;
  const { project } = environment;
  const { sessionId } = conversation.log;
  const leftOver = await leftOverLines(app, environment, conversation.restored);
  for (const warning of [...conversation.warnings, ...leftOver]) warn(warning);
  const isInteractive = ports.askTrust !== undefined;
  const telemetry = await lazyTelemetry({ environment, version, warn, catalog, sessionId, isInteractive, redactor });
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
    warn,
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
