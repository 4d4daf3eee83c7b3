import { resolve } from "node:path";
import { plural } from "@quoll/terminal-text/plural";
import { UserFacingError } from "../../contracts/errors.ts";
import type { Decision, PermissionMode } from "../../contracts/permission.ts";
import type { HeldSetting, RuleSource, Settings, SettingsFile } from "../../contracts/settings.ts";
import { entryExists } from "../../platform/paths.ts";
import { mergeSettings } from "./merge-settings.ts";
import {
  EMPTY_LAYER,
  type Layer,
  readForeignLayer,
  readProjectLayer,
  readTrustedLayer,
  trustedLayer,
} from "./read-layer.ts";
import type { SettingsPaths } from "./settings-paths.ts";

/** What the command line says; it outranks the user's files, the managed file outranks it. */
export type SettingsFlags = {
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
  /** `--allowed-tools` and `--disallowed-tools`, one rule each. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** `--add-dir`. */
  readonly additionalDirectories?: readonly string[];
  /** `--settings`: a file, or JSON text that begins with `{`. */
  readonly settings?: string;
};

export type SettingsSources = {
  readonly paths: SettingsPaths;
  readonly projectRoot: string;
  /** What relative flags are relative to. */
  readonly cwd: string;
  readonly home: string;
  readonly flags?: SettingsFlags;
  /** Whether the person trusts the project's folder; left out, nothing of it counts but what tightens. */
  readonly isTrusted?: boolean;
};

export type LoadedSettings = {
  readonly settings: Settings;
  readonly rules: readonly RuleSource[];
  readonly warnings: readonly string[];
  /** What the project's own settings hold that is not in force, since its folder isn't trusted. */
  readonly held: readonly HeldSetting[];
};

type BasedLayer = Layer & {
  /** What its relative folders are relative to. */
  readonly folder: string;
};

/**
 * Reads and merges every layer: user < project < the user's own file for this project < `--settings` < flags < managed.
 * Of project files only what tightens is taken, and in a trusted folder what a project may set besides. Files are read once,
 * at the start: a change counts from the next start on.
 * @throws {UserFacingError} (exit 2) a file is malformed (`file:line:column: expected …`) or can't be read.
 */
export async function loadSettings(sources: SettingsSources): Promise<LoadedSettings> {
  const { paths, projectRoot, cwd, isTrusted = false } = sources;
  const [user, project, own, given, managed, ...foreign] = await Promise.all([
    readTrustedLayer(paths.user, "user", projectRoot),
    readProjectLayer(paths.project, projectRoot, isTrusted),
    readTrustedLayer(paths.own, "own", projectRoot),
    givenLayer(sources),
    readTrustedLayer(paths.managed, "managed", projectRoot),
    ...paths.foreign.map((file) => readForeignLayer(file, projectRoot)),
  ]);
  const layers: readonly BasedLayer[] = [
    { ...user, folder: projectRoot },
    ...[...foreign, project, own].map((layer) => ({ ...layer, folder: projectRoot })),
    { ...given, folder: cwd },
    { ...flagLayer(sources), folder: cwd },
    { ...managed, folder: projectRoot },
  ];
  const settings = mergeSettings(layers, sources.home, managed.value);
  const rules = layers.flatMap((layer) => layer.rules);
  const counting = settings.managedRulesOnly ? rules.filter(isManagedOrTightens) : rules;
  const ignored = rules.length - counting.length;
  return {
    settings,
    rules: counting,
    warnings: [
      ...layers.flatMap(({ warnings }) => warnings),
      ...(ignored === 0
        ? []
        : [
            `${paths.managed}: only its own rules allow: ${plural(ignored, "allow rule")} of other files and flags ignored.`,
          ]),
    ],
    held: layers.flatMap(({ held }) => held),
  };
}

function isManagedOrTightens({ layer, decision }: RuleSource): boolean {
  return layer === "managed" || decision !== "allow";
}

async function givenLayer({ flags, cwd, projectRoot }: SettingsSources): Promise<Layer> {
  const given = flags?.settings;
  if (given === undefined) return EMPTY_LAYER;
  if (given.trimStart().startsWith("{")) return trustedLayer(given, "--settings", "settings-flag", projectRoot);
  const file = resolve(cwd, given);
  if (given.trim() === "" || !entryExists(file)) {
    throw new UserFacingError(
      `--settings: there is no file ${JSON.stringify(given)}: name a settings file, or give JSON that begins with {.`,
      2,
    );
  }
  return readTrustedLayer(file, "settings-flag", projectRoot);
}

function flagLayer({ flags = {}, projectRoot }: SettingsSources): Layer {
  const rules = (given: readonly string[] | undefined, decision: Decision, file: string): readonly RuleSource[] =>
    (given ?? []).map((rule) => ({ rule, decision, file, layer: "flag", base: projectRoot }));
  const value: SettingsFile = {
    ...(flags.model !== undefined && { model: flags.model }),
    permissions: {
      ...(flags.permissionMode && { defaultMode: flags.permissionMode }),
      ...(flags.additionalDirectories && { additionalDirectories: [...flags.additionalDirectories] }),
    },
  };
  return {
    value,
    rules: [...rules(flags.deny, "deny", "--disallowed-tools"), ...rules(flags.allow, "allow", "--allowed-tools")],
    warnings: [],
    held: [],
  };
}
