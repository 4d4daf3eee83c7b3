import { join } from "node:path";
import { type ProcessEnvironment, processEnvironment } from "../../app/process-environment.ts";
import { type ProjectSettings, readProjectSettings } from "../../app/session/read-project-settings.ts";
import { lazyRedactor } from "../../app/session/wire-safety.ts";
import type { Decision } from "../../contracts/permission.ts";
import type { SettingScope } from "../../contracts/settings.ts";
import { shortPath } from "../../platform/directories.ts";
import { host, printError } from "../../platform/host.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { withheldVariables } from "../../platform/processes/credential-variables.ts";
import { printLine, printOut } from "../../platform/standard-output.ts";
import { type SettingTarget, setSetting, settingValue, unsetSetting } from "../../services/config/edit-settings.ts";
import { type EffectiveValue, effectiveValues, type ValueSource } from "../../services/config/effective-values.ts";
import { findSettingKey, type SettingKey } from "../../services/config/setting-keys.ts";
import { settingsSchemaText } from "../../services/config/settings-schema-text.ts";
import { IMPORT_TOOLS } from "../../services/importing/import-sources.ts";
import { compileRules } from "../../services/permission/compile-rules.ts";
import { createTrustStore } from "../../services/trust/trust-store.ts";
import type { ConfigAction, ConfigInvocation, PlaceOptions } from "../invocation.ts";
import { projectConfigOf } from "../session/session-config.ts";

/** `quoll config get|set|unset|list|schema`. @returns the exit code: 1 if `get` found no value. */
export async function runConfigCommand({ action, options }: ConfigInvocation, version: string): Promise<number> {
  switch (action.what) {
    case "prompt": {
      const { printPrompt } = await import("../inspect/print-prompt.ts");
      return printPrompt(action.options, version);
    }
    case "schema":
      printOut(settingsSchemaText());
      return 0;
    case "list":
      return list(await openPlace(options), action.asJson);
    case "get":
      return get(await openPlace(options), findSettingKey(action.key), action.asJson);
    case "set":
      return set(await openPlace(options), action);
    case "import": {
      const place = await openPlace(options);
      const { runImport } = await import("./import-command.ts");
      const tools = IMPORT_TOOLS.filter((tool) => action.tools.includes(tool));
      return runImport({ ...action, tools, parts: place, redact: await place.redactor() });
    }
    case "unset":
      return unset(await openPlace(options), action);
  }
}

const DECISIONS = ["allow", "ask", "deny"] as const satisfies readonly Decision[];

type Place = ProjectSettings &
  ProcessEnvironment & {
    /** Hides credentials in a text. */
    redactor(): Promise<(text: string) => string>;
    /** True if the person has trusted the folder before, or for this run. */
    readonly isTrusted: boolean;
    /** A place in a file as people read it. */
    sourceName(source: ValueSource): string;
    /** The values that count here. */
    readonly values: readonly EffectiveValue[];
    /** A value as JSON, with each credential replaced by a placeholder. */
    shown(path: readonly string[], value: unknown): Promise<string>;
  };

async function openPlace(options: PlaceOptions): Promise<Place> {
  const around = processEnvironment();
  const read = await readProjectSettings(around, projectConfigOf(options, host().cwd));
  const { home, state } = around.own;
  const store = await createTrustStore(join(state, "trusted-folders.json"), { home });
  for (const line of store.warnings) printError(`quoll: ${line}`);
  const isTrusted = options.trust === true || store.isTrusted(read.project.root);
  const { layers, settings } = read.load(isTrusted);
  const redactor = lazyRedactor({ ...around, settings });
  return {
    ...around,
    ...read,
    isTrusted,
    redactor: async () => {
      const { redact } = await redactor();
      return redact;
    },
    sourceName: ({ file, line }) => `${shortPath(file, home)}${line === undefined ? "" : `:${line}`}`,
    values: effectiveValues(layers),
    shown: async (path, value) =>
      isCredential(path, value) ? JSON.stringify("[hidden]") : (await redactor()).redact(JSON.stringify(value)),
  };
}

/** A variable with the name of a credential. */
function isCredential([section, name = ""]: readonly string[], value: unknown): boolean {
  return section === "env" && typeof value === "string" && withheldVariables({ [name]: value }).length > 0;
}

async function list(place: Place, asJson: boolean): Promise<number> {
  const { values } = place;
  const { held, warnings } = place.load(place.isTrusted);
  for (const warning of warnings) printError(`quoll: ${warning}`);
  for (const { file, line, what } of held)
    printError(
      `quoll: ${place.sourceName({ layer: "project", file, line })} has no effect until you trust the folder: it ${what}.`,
    );
  if (values.length === 0 && !asJson) printLine("No setting is set: the defaults apply.");
  else await print(values, place, asJson);
  return 0;
}

async function get(place: Place, key: SettingKey, asJson: boolean): Promise<number> {
  const values = place.values.filter(({ path }) => key.path.every((name, at) => path[at] === name));
  await print(values, place, asJson);
  if (values.length > 0) return 0;
  if (!asJson) printError(`quoll: ${key.name} is not set here.`);
  return 1;
}

async function set(place: Place, action: Extract<ConfigAction, { what: "set" }>): Promise<number> {
  const key = findSettingKey(action.key);
  const value = settingValue(key, action.value, action.adds);
  const target = targetOf(place, key, action.scope);
  assertRules(target, action.adds ? [value] : value, place);
  const { before, after } = await setSetting(target, value, action.adds);
  const isSame = JSON.stringify(before) === JSON.stringify(after);
  const replaced = before === undefined || action.adds ? "" : ` (was ${await place.shown(key.path, before)})`;
  const shown = await place.shown(key.path, action.adds ? value : after);
  printLine(`${key.name} = ${shown} in ${place.sourceName(target)}${isSame ? " (no change)" : replaced}`);
  await tellEffect(place, target);
  return 0;
}

async function unset(place: Place, action: Extract<ConfigAction, { what: "unset" }>): Promise<number> {
  const key = findSettingKey(action.key);
  const item = action.value === undefined ? undefined : settingValue(key, action.value, true);
  const target = targetOf(place, key, action.scope);
  const { before, after } = await unsetSetting(target, item);
  const isSame = JSON.stringify(before) === JSON.stringify(after);
  const name = item === undefined ? key.name : `${await place.shown(key.path, item)} of ${key.name}`;
  printLine(
    isSame ? `${place.sourceName(target)} does not set ${name}.` : `Removed ${name} from ${place.sourceName(target)}.`,
  );
  return isSame ? 1 : 0;
}

function targetOf({ paths }: Place, key: SettingKey, scope: SettingScope): SettingTarget & ValueSource {
  return { key, scope, layer: scope, file: paths[scope] };
}

/** @throws {UserFacingError} (exit 2) a session would not start with these rules. */
function assertRules({ key, scope, file }: SettingTarget, value: unknown, { project }: Place): void {
  const decision = DECISIONS.find((one) => key.name === `permissions.${one}`);
  if (!decision) return;
  const items = (Array.isArray(value) ? value : [value]) as readonly (string | { readonly rule: string })[];
  const sources = items.map((item) => ({
    ...(typeof item === "string" ? { rule: item } : item),
    decision,
    file,
    layer: scope,
    base: project.root,
  }));
  const home = realPathOrSelf(processEnvironment().own.home);
  const context = { roots: [project.root], home, isCaseInsensitive: false, realPath: realPathOrSelf, isTrusted: true };
  for (const warning of compileRules(sources, context).warnings) printError(`quoll: ${warning}`);
}

/** One line if the file that was written does not decide here. */
async function tellEffect(place: Place, { key, file, scope }: SettingTarget): Promise<void> {
  const now = await readProjectSettings(processEnvironment(), { cwd: place.project.cwd });
  const [counting] = effectiveValues(now.load(place.isTrusted).layers).filter(
    ({ path, isListItem }) => !isListItem && path.join("\n") === key.path.join("\n"),
  );
  if (counting && counting.source.file !== file)
    printLine(`Here ${place.sourceName(counting.source)} decides: ${await lineOf(counting, place)}`);
  if (scope === "project" && !place.isTrusted && now.load(false).held.length > 0)
    printLine("It takes effect when you trust this folder.");
}

async function print(values: readonly EffectiveValue[], place: Place, asJson: boolean): Promise<void> {
  if (!asJson) {
    for (const value of values) printLine(await lineOf(value, place));
    return;
  }
  const data = await Promise.all(
    values.map(async ({ key, path, value, source, overridden }) => ({
      key,
      value: JSON.parse(await place.shown(path, value)) as unknown,
      source,
      ...(overridden.length > 0 && { overridden }),
    })),
  );
  printLine(JSON.stringify(data, null, 2));
}

async function lineOf({ key, path, value, source, overridden }: EffectiveValue, place: Place): Promise<string> {
  const { sourceName, shown } = place;
  const others = overridden.length === 0 ? "" : `, not ${overridden.map(sourceName).join(", ")}`;
  return `${key} = ${await shown(path, value)}  (${sourceName(source)}${others})`;
}
