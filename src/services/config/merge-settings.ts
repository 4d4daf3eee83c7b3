import { join, resolve } from "node:path";
import type { SandboxSettings } from "../../contracts/sandbox-settings.ts";
import type { Settings } from "../../contracts/settings.ts";
import type { SettingsFile } from "../../contracts/settings-schema.ts";
import type { TelemetrySettings } from "../../contracts/telemetry-settings.ts";
import { lowestCaps } from "./lowest-caps.ts";

/** The value of one layer, and the base folder of its relative paths. */
export type LayerValue = { readonly value: SettingsFile; readonly folder: string };

/**
 * Merges layers: the highest layer's scalar applies (the lowest for caps), lists are joined, paths are made absolute.
 * @param layers The layers, lowest first.
 * @param home The folder of `~`.
 * @param managed The only layer that may limit allow rules to its own.
 */
export function mergeSettings(
  layers: readonly LayerValue[],
  home: string,
  managed: SettingsFile,
): Omit<Settings, "consent"> {
  const values = layers.map(({ value }) => value);
  const highest = <Value>(pick: (value: SettingsFile) => Value | undefined): Value | undefined =>
    values.map(pick).findLast((value) => value !== undefined);
  const paths = (pick: (value: SettingsFile) => readonly string[] | undefined): readonly string[] =>
    unique(layers.flatMap(({ value, folder }) => (pick(value) ?? []).map((path) => absolute(path, folder, home))));
  const model = highest(({ model }) => model);
  const turnBudgetTokens = highest((value) => value.turnBudgetTokens);
  const agent = highest((value) => value.agent);
  const outputStyle = highest((value) => value.outputStyle);
  const language = highest((value) => value.language);
  const taskList = highest((value) => value.taskList);
  const maxThinkingTokens = highest(({ maxThinkingTokens }) => maxThinkingTokens);
  const defaultMode = highest(({ permissions }) => permissions?.defaultMode);
  const spend = lowestCaps(values.flatMap(({ spend }) => spend ?? []));
  const apiKeyHelper = highest(({ apiKeyHelper }) => apiKeyHelper);
  const helperTtlMs = highest(({ apiKeyHelperTtlMs }) => apiKeyHelperTtlMs);
  return {
    ...(model !== undefined && { model }),
    ...(turnBudgetTokens !== undefined && { turnBudgetTokens }),
    ...(agent !== undefined && { agent }),
    ...(outputStyle !== undefined && { outputStyle }),
    ...(language !== undefined && { language }),
    ...(taskList !== undefined && { taskList }),
    ...(maxThinkingTokens !== undefined && { maxThinkingTokens }),
    ...(defaultMode && { defaultMode }),
    additionalDirectories: paths(({ permissions }) => permissions?.additionalDirectories),
    bypassDisabled: values.some(({ permissions }) => permissions?.disableBypassPermissionsMode === "disable"),
    autoDisabled: values.some(({ permissions }) => permissions?.disableAutoMode === "disable"),
    managedRulesOnly: managed.permissions?.allowManagedPermissionRulesOnly === true,
    env: Object.assign({}, ...values.map(({ env: { pass: _, ...env } = {} }) => env)),
    passedVariables: unique(values.flatMap(({ env }) => env?.pass ?? [])),
    tools: Object.assign({}, ...values.map(({ tools }) => tools)),
    sandbox: mergeSandbox(values, paths),
    guardsDestruction: highest(({ destructiveGuard }) => destructiveGuard) !== "off",
    ...(spend && { spend }),
    ...(apiKeyHelper !== undefined && { apiKeyHelper }),
    ...(helperTtlMs !== undefined && { apiKeyHelperTtlMs: helperTtlMs }),
    ...byName("providers", values),
    ...byName("models", values),
    ...byName("terminal", values),
    ...byName("compaction", values),
    ...byName("recall", values),
    ...byName("webSearch", values),
    ...byName("instructions", values),
    ...byName("memory", values),
    ...byName("agents", values),
    ...disabledSkills(values),
    ...byName("worktree", values),
    ...byName("background", values),
    ...byName("sessions", values),
    ...byName("mcp", values),
    ...(managed.allowedMcpServers && { allowedMcpServers: managed.allowedMcpServers }),
    ...(managed.deniedMcpServers && { deniedMcpServers: managed.deniedMcpServers }),
    ...mergeTelemetry(values.flatMap(({ telemetry }) => telemetry ?? [])),
  };
}

/** Headers belong to the endpoint of their layer: an endpoint in a higher layer gets no headers of a lower layer. */
function mergeTelemetry(parts: readonly TelemetrySettings[]): Pick<Settings, "telemetry"> {
  if (parts.length === 0) return {};
  const telemetry = parts.reduce<TelemetrySettings>((lower, part) => {
    const { headers: _, ...kept } = lower;
    return { ...(part.endpoint === undefined ? lower : kept), ...part };
  }, {});
  return { telemetry };
}

function disabledSkills(values: readonly SettingsFile[]): Pick<Settings, "disabledSkills"> {
  const names = unique(values.flatMap(({ skills }) => skills?.disabled ?? []));
  return names.length === 0 ? {} : { disabledSkills: names };
}

type Section =
  | "providers"
  | "models"
  | "terminal"
  | "compaction"
  | "recall"
  | "webSearch"
  | "instructions"
  | "memory"
  | "agents"
  | "worktree"
  | "background"
  | "sessions"
  | "mcp";

/** For each name in a section, the value of the highest layer that sets it. */
function byName<Key extends Section>(key: Key, values: readonly SettingsFile[]): Partial<Pick<Settings, Key>> {
  const parts = values.flatMap((value) => value[key] ?? []);
  return parts.length === 0 ? {} : ({ [key]: Object.assign({}, ...parts) } as Partial<Pick<Settings, Key>>);
}

type Paths = (pick: (value: SettingsFile) => readonly string[] | undefined) => readonly string[];

function mergeSandbox(values: readonly SettingsFile[], paths: Paths): SandboxSettings {
  const parts: readonly SandboxSettings[] = values.map(
    ({ sandbox: { autoAllowBashIfSandboxed: _, agreed: __, ...sandbox } = {} }) => sandbox,
  );
  const scalars = parts.map(({ network: _, filesystem: __, excludedCommands: ___, ...rest }) => rest);
  const list = (pick: (sandbox: SandboxSettings) => readonly string[] | undefined) =>
    unique(parts.flatMap((sandbox) => pick(sandbox) ?? []));
  const binding = parts.map(({ network }) => network?.allowLocalBinding).findLast((value) => value !== undefined);
  const network = {
    ...filled(
      "allowedDomains",
      list(({ network }) => network?.allowedDomains),
    ),
    ...filled(
      "deniedDomains",
      list(({ network }) => network?.deniedDomains),
    ),
    ...filled(
      "allowUnixSockets",
      paths(({ sandbox }) => sandbox?.network?.allowUnixSockets),
    ),
    ...(binding !== undefined && { allowLocalBinding: binding }),
  };
  const filesystem = {
    ...filled(
      "allowWrite",
      paths(({ sandbox }) => sandbox?.filesystem?.allowWrite),
    ),
    ...filled(
      "denyWrite",
      paths(({ sandbox }) => sandbox?.filesystem?.denyWrite),
    ),
    ...filled(
      "denyRead",
      paths(({ sandbox }) => sandbox?.filesystem?.denyRead),
    ),
    ...filled(
      "allowRead",
      paths(({ sandbox }) => sandbox?.filesystem?.allowRead),
    ),
  };
  return {
    ...Object.assign({}, ...scalars),
    ...filled(
      "excludedCommands",
      list(({ excludedCommands }) => excludedCommands),
    ),
    ...(Object.keys(network).length > 0 && { network }),
    ...(Object.keys(filesystem).length > 0 && { filesystem }),
  };
}

/** A key with its list, or nothing for an empty list. */
function filled<Key extends string>(key: Key, list: readonly string[]): { readonly [Name in Key]?: string[] } {
  return list.length === 0 ? {} : ({ [key]: [...list] } as { readonly [Name in Key]?: string[] });
}

function unique(list: readonly string[]): readonly string[] {
  return [...new Set(list)];
}

function absolute(path: string, folder: string, home: string): string {
  if (path === "~") return home;
  return path.startsWith("~/") ? join(home, path.slice(2)) : resolve(folder, path);
}
