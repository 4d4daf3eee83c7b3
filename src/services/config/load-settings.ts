import { dirname, join, resolve } from "node:path";
import { plural } from "@quoll/terminal-text/plural";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { Decision } from "../../contracts/permission.ts";
import type { ProjectConfig } from "../../contracts/session-config.ts";
import type { SettingSource } from "../../contracts/setting-sources.ts";
import type { HeldSetting, RuleLayer, RuleSource, Settings, SettingsFile } from "../../contracts/settings.ts";
import { entryExists } from "../../platform/paths.ts";
import { givenTextLayer, readForeignLayer, readProjectLayer, readTrustedLayer } from "./read-layer.ts";
import {
  type BasedLayer,
  EMPTY_LAYER,
  type Layer,
  type MergeLayers,
  type NamedLayer,
  type PinLayers,
} from "./settings-layer.ts";
import { settingsOfLayers } from "./settings-of-layers.ts";
import type { SettingsPaths } from "./settings-paths.ts";

/**
 * The settings of the command line; they override the user's files, and the managed file overrides them. Of the three
 * layers of `settingSources`, only the named ones are read; flags and managed settings always apply.
 */
export type SettingsFlags = Omit<ProjectConfig, "cwd">;

export type SettingsSources = {
  readonly paths: SettingsPaths;
  readonly projectRoot: string;
  /** The base folder of relative flags. */
  readonly cwd: string;
  readonly home: string;
  readonly flags?: SettingsFlags;
};

export type LoadedSettings = {
  readonly settings: Settings;
  readonly rules: readonly RuleSource[];
  readonly warnings: readonly string[];
  /** Project settings that have no effect because the folder is not trusted. */
  readonly held: readonly HeldSetting[];
  /** The layers that were merged, lowest first. */
  readonly layers: readonly NamedLayer[];
  /** Lowest layer first. The hooks of the project's file run only if the folder is trusted and the person approved them. */
  readonly hooks: readonly DeclaredHook[];
  /** True if a setting disables all hooks except the administrator's. */
  readonly hasManagedHooksOnly?: true;
};

/**
 * Merges the layers that were read.
 * @param pin In a running session, `pinnedToStart` with the settings with which it began: files of the repository then loosen nothing more.
 */
export type MergeSettings = (isTrusted: boolean, pin?: PinLayers) => LoadedSettings;

/**
 * Reads every layer once.
 * @returns a function that merges the layers for a trusted or an untrusted folder, so that the person is asked about exactly the settings that
 * then take effect.
 * @throws {UserFacingError} (exit 2) a file is malformed (`file:line:column: expected …`) or unreadable.
 */
export async function readSettings(sources: SettingsSources): Promise<MergeSettings> {
  const { paths, projectRoot, flags } = sources;
  const { isSafe } = flags ?? {};
  const takes = (source: SettingSource) => flags?.settingSources?.includes(source) ?? true;
  const at = (layer: RuleLayer, file: string) => ({ file, layer, base: projectRoot });
  const [user, projectLayer, own, given, managed, ...foreign] = await Promise.all([
    takes("user") ? readTrustedLayer({ ...at("user", paths.user), isSafe }) : EMPTY_LAYER,
    takes("project") ? readProjectLayer({ ...at("project", paths.project), isSafe }) : undefined,
    takes("local") ? readTrustedLayer({ ...at("own", paths.own), isSafe }) : EMPTY_LAYER,
    givenLayer(sources),
    readTrustedLayer(at("managed", paths.managed)),
    ...(takes("project") ? paths.foreign : []).map((file) => readForeignLayer(at("foreign", file))),
  ]);
  const flagged = flagLayer(sources);
  const isSet = projectLayer || [user, own, given, managed, flagged, ...foreign].some(hasValue);
  // Where nothing is set, the table of settings is not loaded.
  const merge = isSet ? (await import("./merge-settings.ts")).mergeSettings : () => ({});
  return (isTrusted, pin) => {
    const now = repositoryLayers(foreign, projectLayer?.(isTrusted) ?? EMPTY_LAYER, paths);
    const layers = { user, own, given, flagged, managed, repository: pin?.layers(now) ?? now };
    return joined(layers, pin?.merge ?? merge, sources);
  };
}

type Layers = Readonly<Record<"user" | "own" | "given" | "flagged" | "managed", Layer>> & {
  readonly repository: readonly NamedLayer[];
};

function hasValue({ value }: Layer): boolean {
  return Object.keys(value).length > 0;
}

function repositoryLayers(foreign: readonly Layer[], project: Layer, paths: SettingsPaths): readonly NamedLayer[] {
  const others = foreign.map((layer, at) => ({ ...layer, name: "foreign", file: paths.foreign[at] ?? "" }) as const);
  return [...others, { ...project, name: "project", file: paths.project }];
}

/** user < project < the user's own file for this project < `--settings` < flags < managed. */
function joined(
  { user, repository, own, given, flagged, managed }: Layers,
  merge: MergeLayers,
  sources: SettingsSources,
): LoadedSettings {
  const { paths, projectRoot, cwd, home, flags: { isSafe } = {} } = sources;
  const layers: readonly BasedLayer[] = [
    { ...user, name: "user", file: paths.user, folder: projectRoot },
    ...repository.map((layer) => ({ ...layer, folder: projectRoot })),
    { ...own, name: "own", file: paths.own, folder: projectRoot },
    { ...given, name: "settings-flag", file: settingsFile(sources) ?? "--settings", folder: cwd },
    { ...flagged, name: "flag", file: "the command line", folder: cwd },
    { ...managed, name: "managed", file: paths.managed, folder: projectRoot },
  ];
  const settings = settingsOfLayers(layers, merge(layers, home));
  const rules = layers.flatMap((layer) => layer.rules);
  const counting = settings.managedRulesOnly ? rules.filter(isManagedOrTightens) : rules;
  const warnings = [...layers.flatMap((layer) => layer.warnings), ...unreadFile(paths)];
  const ignored = rules.length - counting.length;
  if (ignored > 0) {
    const what = `${plural(ignored, "allow rule")} of other files and flags ignored`;
    warnings.push(`${paths.managed}: only its own allow rules apply: ${what}.`);
  }
  return {
    settings,
    rules: counting,
    warnings,
    held: layers.flatMap(({ held }) => held),
    hooks: hooksOf(layers, managed),
    ...((isSafe || hasManagedHooksOnly(layers, managed)) && { hasManagedHooksOnly: true as const }),
    layers,
  };
}

/**
 * The managed file can disable all hooks, a project only its own, and the other layers all hooks except managed ones.
 */
function hooksOf(layers: readonly BasedLayer[], managed: Layer): readonly DeclaredHook[] {
  if (managed.value.disableAllHooks) return [];
  if (hasManagedHooksOnly(layers, managed)) return managed.hooks;
  return layers.flatMap(({ hooks, value, name }) => (name === "project" && value.disableAllHooks ? [] : hooks));
}

function hasManagedHooksOnly(layers: readonly BasedLayer[], managed: Layer): boolean {
  const isOff = layers.some(({ value, name }) => name !== "project" && value.disableAllHooks === true);
  return isOff || managed.value.allowManagedHooksOnly === true;
}

function isManagedOrTightens({ layer, decision }: RuleSource): boolean {
  return layer === "managed" || decision !== "allow";
}

/** The file of `--settings`; undefined if the option is missing or contains the text itself. */
export function settingsFile({ flags, cwd }: Pick<SettingsSources, "flags" | "cwd">): string | undefined {
  const given = flags?.settings?.trim() ?? "";
  return given === "" || given.startsWith("{") ? undefined : resolve(cwd, given);
}

async function givenLayer({ flags, cwd, projectRoot }: SettingsSources): Promise<Layer> {
  const given = flags?.settings;
  if (given === undefined) return EMPTY_LAYER;
  const place = { layer: "settings-flag", base: projectRoot, isSafe: flags?.isSafe } as const;
  if (given.trimStart().startsWith("{")) return givenTextLayer(given, { ...place, file: "--settings" });
  const file = resolve(cwd, given);
  if (given.trim() === "" || !entryExists(file)) {
    throw new UserFacingError(
      `--settings: there is no file ${JSON.stringify(given)}: use the path of a settings file, or JSON that begins with {.`,
      2,
    );
  }
  return readTrustedLayer({ ...place, file });
}

function flagLayer({ flags = {}, projectRoot }: SettingsSources): Layer {
  const rules = (given: readonly string[] | undefined, decision: Decision, file: string): readonly RuleSource[] =>
    (given ?? []).map((rule) => ({ rule, decision, file, layer: "flag", base: projectRoot }));
  const value: SettingsFile = {
    ...(flags.model !== undefined && { model: flags.model }),
    ...(flags.allowSandboxed && { sandbox: { autoAllowBashIfSandboxed: true } }),
    ...(flags.maxBudgetUsd !== undefined && { spend: { sessionUsd: flags.maxBudgetUsd } }),
    ...((flags.permissionMode || flags.additionalDirectories) && {
      permissions: {
        ...(flags.permissionMode && { defaultMode: flags.permissionMode }),
        ...(flags.additionalDirectories && { additionalDirectories: flags.additionalDirectories }),
      },
    }),
  };
  return {
    value,
    rules: [...rules(flags.deny, "deny", "--disallowed-tools"), ...rules(flags.allow, "allow", "--allowed-tools")],
    warnings: [],
    held: [],
    hooks: [],
  };
}

/** Another agent has such a file for a person's own settings; its deny rules must not be lost without a word. */
function unreadFile({ project, own }: SettingsPaths): readonly string[] {
  const local = join(dirname(project), "settings.local.json");
  return !entryExists(local) ? [] : [`${local} is not read: your own settings for this project belong into ${own}.`];
}
