import { basename } from "node:path";
import { openAgentTypes } from "../../app/agent/agent-types.ts";
import { openAccess, withProviders } from "../../app/model-access.ts";
import type { ProcessEnvironment } from "../../app/process-environment.ts";
import type { ProjectEnvironment } from "../../app/session/project-environment.ts";
import { debugFolder } from "../../app/session/records/lazy-debug-log.ts";
import { createSandbox, lazyRedactor } from "../../app/session/wire-safety.ts";
import { openSkills } from "../../app/skills/open-skills.ts";
import type { ContentWarning } from "../../contracts/content-folder.ts";
import type { Check, DoctorReport, LoggedError } from "../../contracts/doctor.ts";
import type { SandboxFinding } from "../../contracts/ports.ts";
import type { ProjectConfig } from "../../contracts/session-config.ts";
import { firstFew } from "../../contracts/words.ts";
import { artifactFolder } from "../../platform/artifact-folder.ts";
import { systemClock } from "../../platform/clock.ts";
import { readSmallText } from "../../platform/private-file.ts";
import { proxyFor } from "../../platform/proxy-route.ts";

import { MAX_LOG_BYTES } from "../../services/telemetry/debug-log/debug-file.ts";
import { readErrors } from "../../services/telemetry/debug-log/read-errors.ts";
import { logFiles } from "../../services/telemetry/io/prune-logs.ts";
import { usableProxy } from "../../services/web/io/send-request.ts";
import { checkExtensions, type ExtensionCheck } from "./check-extensions.ts";
import { checkFolders, checkPrograms, checkVersions } from "./check-machine.ts";
import { checkModel, unchecked } from "./check-model.ts";
import { checkSearch } from "./check-search.ts";
import { checkServers } from "./check-servers.ts";
import { checkSettings } from "./check-settings.ts";

const MAX_LOGS_READ = 10;
const MAX_ERRORS = 20;

export type CheckRequest = ExtensionCheck & {
  /** The values of `--mcp-config`. */
  readonly mcpConfigs: readonly string[];
  /** The model that the session uses now, as `provider/model`; if absent, the model of a new session is checked. */
  readonly inUse?: string | undefined;
};

/**
 * Checks everything that a session needs, and changes nothing. No request is sent to a model and no MCP server is
 * started.
 * @throws the abort reason when `signal` aborts.
 */
export async function runChecks(examination: CheckRequest, signal: AbortSignal): Promise<DoctorReport> {
  const { around, version, config, mcpConfigs, inUse } = examination;
  const { environment, checks: settings } = await checkSettings(around, config);
  const extensions = environment && (await checkExtensions(environment, examination));
  const { env, own, machine } = around;
  const ofMachine = openAccess({ env, own, machine, settings: environment?.settings ?? {} });
  const access = withProviders(ofMachine, extensions?.providers);
  const withEnvironment = async (
    name: string,
    check: (environment: ProjectEnvironment) => Promise<readonly Check[]>,
  ) => {
    if (!environment) return [unchecked(name, new Error("the settings can't be used"))];
    return check(environment).catch((error: unknown) => {
      signal.throwIfAborted();
      return [unchecked(name, error)];
    });
  };
  const [folders, programs, sandbox, model, web, search, servers, files, errors] = await Promise.all([
    checkFolders(around),
    checkPrograms(around, version, signal),
    withEnvironment("sandbox", checkSandbox),
    withEnvironment("model", (known) => checkModel({ environment: known, access, model: config.model, inUse }, signal)),
    withEnvironment("pages", checkWeb),
    withEnvironment("search", (known) => checkSearch({ environment: known, access, model: config.model })),
    withEnvironment("servers", (known) => checkServers(known, mcpConfigs, signal)),
    withEnvironment("files", (known) => checkOwnFiles(known, config)),
    recentErrors(own.state),
  ]);
  await extensions?.close();
  const groups = [
    { title: "Versions", checks: checkVersions(around, version) },
    { title: "Folders", checks: folders },
    { title: "Programs", checks: programs },
    { title: "Sandbox", checks: sandbox },
    { title: "Model", checks: model },
    { title: "Web", checks: [...web, ...search] },
    { title: "Settings", checks: settings },
    { title: "MCP servers", checks: servers },
    ...(files.length > 0 ? [{ title: "Agents, skills and commands", checks: files }] : []),
    ...(extensions && extensions.checks.length > 0 ? [{ title: "Extensions", checks: extensions.checks }] : []),
  ];
  const isUsable = groups.every(({ checks }) => checks.every(({ level }) => level !== "problem"));
  const hide = await hiding(around, environment, access.keys);
  return { isUsable, ...fitted({ groups, errors }, hide) };
}

/** Hides credentials and the home folder. */
async function hiding(
  { env, own }: ProcessEnvironment,
  environment: ProjectEnvironment | undefined,
  keys: () => readonly string[],
) {
  const settings = environment?.settings ?? {};
  const redactor = await lazyRedactor({ env, own, settings }, keys)();
  return (text: string) => redactor.redact(text).replaceAll(own.home, "~");
}

type Parts = Pick<DoctorReport, "groups" | "errors">;

function fitted({ groups, errors }: Parts, hide: (text: string) => string): Parts {
  const fit = ({ text, fix, ...check }: Check): Check => ({
    ...check,
    text: hide(text),
    ...(fix !== undefined && { fix: hide(fix) }),
  });
  return {
    groups: groups.map(({ title, checks }) => ({ title, checks: checks.map(fit) })),
    errors: errors.map((error) => ({ ...error, text: hide(error.text) })),
  };
}

/** The errors of the newest debug logs, newest first. An unreadable log is treated as empty. */
async function recentErrors(stateFolder: string): Promise<readonly LoggedError[]> {
  const logs = logFiles(debugFolder(stateFolder)).slice(0, MAX_LOGS_READ);
  const read = logs.map(async ({ path }) => {
    const text = await readSmallText(path, MAX_LOG_BYTES).catch(() => undefined);
    return readErrors(text ?? "", basename(path, ".log"));
  });
  const errors = (await Promise.all(read)).flat();
  return errors.sort((a, b) => b.time.localeCompare(a.time)).slice(0, MAX_ERRORS);
}

/** The maximum number of lines of each kind. */
const MAX_LINES = 200;

/** Lists what of the agents, skills and commands is left out or renamed. */
async function checkOwnFiles(environment: ProjectEnvironment, config: ProjectConfig): Promise<readonly Check[]> {
  const types = await openAgentTypes(config, environment, () => undefined);
  const skills = await openSkills(config, environment, { onWarning: () => undefined, clock: systemClock });
  const linesOf = (warnings: readonly ContentWarning[]) => warnings.map(({ line }) => line);
  return [
    ...checks("agent", "warning", linesOf(types.warnings), "quoll agents"),
    ...checks("skill", "warning", linesOf(skills.warnings), "/skills"),
    ...checks("skill", "ok", skills.renamed, "/skills"),
  ];
}

function checks(name: string, level: Check["level"], lines: readonly string[], list: string): readonly Check[] {
  const shown = firstFew(lines, MAX_LINES, (count) => `${count} more: ${list} lists them`);
  return shown.map((text) => ({ name, level, text }));
}

/**
 * Reports how commands are confined, like `quoll sandbox doctor`. A missing sandbox is a problem only when settings
 * require one; otherwise Quoll asks about each command.
 */
async function checkSandbox(environment: ProjectEnvironment): Promise<readonly Check[]> {
  const artifacts = artifactFolder(undefined);
  const sandbox = createSandbox(environment, artifacts, { hasTerminal: true });
  const { enabled, failIfUnavailable } = environment.settings.sandbox;
  const isRequired = enabled === true || failIfUnavailable === true;
  try {
    return (await sandbox.findings()).map((finding) => checkOf(finding, isRequired));
  } finally {
    await sandbox.close();
    artifacts.dispose();
  }
}

function checkOf({ level, text, fix }: SandboxFinding, isRequired: boolean): Check {
  const weight =
    level === "problem" ? (isRequired ? "problem" : "warning") : level === "note" && fix ? "warning" : "ok";
  return { name: "sandbox", level: weight, text: text.replace(/\.$/, ""), ...(fix !== undefined && { fix }) };
}

const ANY_PAGE = "https://example.com/";

/** Says how WebFetch reaches pages. No page is fetched. */
async function checkWeb({ env, settings }: Pick<ProjectEnvironment, "env" | "settings">): Promise<readonly Check[]> {
  const name = "pages";
  const route = proxyFor(ANY_PAGE, { ...env, ...settings.env });
  if (!route) {
    const text = "fetched directly; addresses of this machine and of private networks only if a rule names them";
    return [{ name, level: "ok", text }];
  }
  const { host, variable } = route;
  if (usableProxy(route) === undefined) {
    const text = `${variable} names no http or https proxy, so that WebFetch can't reach a page`;
    return [{ name, level: "warning", text, fix: `Set ${variable} to such a proxy, or add hosts to NO_PROXY.` }];
  }
  const text = `fetched through ${host} (${variable}), which resolves the names; it gets no local names and no addresses in numbers`;
  return [{ name, level: "ok", text }];
}
