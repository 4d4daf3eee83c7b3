import { join, resolve } from "node:path";
import { UserFacingError } from "../../contracts/errors.ts";
import type { Decision, PermissionMode } from "../../contracts/permission.ts";
import type { RuleSource, Settings, SettingsFile } from "../../contracts/settings.ts";
import { entryExists } from "../../platform/paths.ts";
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
};

export type LoadedSettings = {
  readonly settings: Settings;
  readonly rules: readonly RuleSource[];
  readonly warnings: readonly string[];
};

type BasedLayer = Layer & {
  /** What its relative folders are relative to. */
  readonly folder: string;
};

/**
 * Reads and merges every layer: user < project < the user's own file for this project < `--settings` < flags < managed.
 * Of project files only deny and ask rules are taken.
 * @throws {UserFacingError} (exit 2) a file is malformed (`file:line:column: expected …`) or can't be read.
 */
export async function loadSettings(sources: SettingsSources): Promise<LoadedSettings> {
  const { paths, projectRoot, cwd } = sources;
  const [user, project, own, given, managed, ...foreign] = await Promise.all([
    readTrustedLayer(paths.user, "user", projectRoot),
    readProjectLayer(paths.project, projectRoot),
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
  return {
    settings: merge(layers, sources.home),
    rules: layers.flatMap(({ rules }) => rules),
    warnings: layers.flatMap(({ warnings }) => warnings),
  };
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
  };
}

/** @param layers Lowest first. */
function merge(layers: readonly BasedLayer[], home: string): Settings {
  const values = layers.map(({ value }) => value);
  const highest = <Value>(pick: (value: SettingsFile) => Value | undefined): Value | undefined =>
    values.map(pick).findLast((value) => value !== undefined);
  const model = highest(({ model }) => model);
  const defaultMode = highest(({ permissions }) => permissions?.defaultMode);
  const folders = layers.flatMap(({ value, folder }) =>
    (value.permissions?.additionalDirectories ?? []).map((path) => absolute(path, folder, home)),
  );
  return {
    ...(model !== undefined && { model }),
    ...(defaultMode && { defaultMode }),
    additionalDirectories: [...new Set(folders)],
    bypassDisabled: values.some(({ permissions }) => permissions?.disableBypassPermissionsMode === "disable"),
    env: Object.assign({}, ...values.map(({ env: { pass: _, ...env } = {} }) => env)),
    passedVariables: values.flatMap((value) => value.env?.pass ?? []),
    tools: Object.assign({}, ...values.map(({ tools }) => tools)),
    sandbox: Object.assign({}, ...values.map(({ sandbox }) => sandbox)),
    guardsDestruction: highest(({ destructiveGuard }) => destructiveGuard) !== "off",
  };
}

function absolute(path: string, folder: string, home: string): string {
  if (path === "~") return home;
  return path.startsWith("~/") ? join(home, path.slice(2)) : resolve(folder, path);
}
