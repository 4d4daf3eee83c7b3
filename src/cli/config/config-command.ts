import { join } from "node:path";
import { processEnvironment } from "../../app/process-environment.ts";
import { readProjectSettings } from "../../app/session/settings/read-project-settings.ts";
import {
  editSetting,
  type SettingsPlace,
  settingsPlace,
  valueLine,
} from "../../app/session/settings/settings-place.ts";
import type { SettingEdit } from "../../contracts/settings-view.ts";
import { host, printProblem } from "../../platform/host.ts";
import { printLine, printOut } from "../../platform/standard-output.ts";
import type { EffectiveValue } from "../../services/config/effective-values.ts";
import { findSettingKey } from "../../services/config/setting-keys.ts";
import { settingsSchemaText } from "../../services/config/settings-schema-text.ts";
import { IMPORT_TOOLS } from "../../services/importing/import-sources.ts";
import { createTrustStore } from "../../services/trust/trust-store.ts";
import type { PlaceOptions } from "../invocation.ts";
import { projectConfigOf } from "../session/session-config.ts";

/** `quoll config schema`. */
export async function printSchema(): Promise<number> {
  printOut(settingsSchemaText());
  return 0;
}

/** `quoll config import`. @param names The programs to import from; empty for all. */
export async function importSettings(
  names: readonly string[],
  { apply = false, json = false, ...options }: PlaceOptions & { readonly apply?: boolean; readonly json?: boolean },
): Promise<number> {
  const place = await openPlace(options);
  const { runImport } = await import("./import-command.ts");
  const tools = IMPORT_TOOLS.filter((tool) => names.includes(tool));
  return runImport({ tools, applies: apply, asJson: json, parts: place, redact: await place.redactor() });
}

async function openPlace(options: PlaceOptions): Promise<SettingsPlace> {
  const around = processEnvironment();
  const read = await readProjectSettings(around, projectConfigOf(options, host().cwd));
  const { home, state } = around.own;
  const store = await createTrustStore(join(state, "trusted-folders.json"), { home });
  for (const line of store.warnings) printProblem(line);
  const isTrusted = options.trust === true || store.isTrusted(read.project.root);
  return settingsPlace(around, read, isTrusted);
}

/** `quoll config list`. */
export async function list(options: PlaceOptions, asJson: boolean): Promise<number> {
  const place = await openPlace(options);
  const { values } = place;
  const { held, warnings } = place.load(place.isTrusted);
  for (const warning of warnings) printProblem(warning);
  for (const { file, line, what } of held)
    printProblem(`${place.sourceName({ file, line })} has no effect until you trust the folder: it ${what}.`);
  if (values.length === 0 && !asJson) printLine("No setting is set: the defaults apply.");
  else await print(values, place, asJson);
  return 0;
}

/** `quoll config get`. @returns 1 if there is no value. */
export async function get(name: string, options: PlaceOptions, asJson: boolean): Promise<number> {
  const place = await openPlace(options);
  const key = findSettingKey(name);
  const values = place.values.filter(({ path }) => key.path.every((name, at) => path[at] === name));
  await print(values, place, asJson);
  if (values.length > 0) return 0;
  if (!asJson) printProblem(`${key.name} is not set here.`);
  return 1;
}

/** `quoll config set` and `unset`. @returns 1 if there was nothing to remove. */
export async function edit(options: PlaceOptions, change: SettingEdit): Promise<number> {
  const place = await openPlace(options);
  await (await import("../../app/session/settings/usable-value.ts")).assertUsableInShell(change, place);
  const { lines, warnings, isSame } = await editSetting(place, change);
  for (const warning of warnings) printProblem(warning);
  for (const line of lines) printLine(line);
  return change.what === "unset" && isSame ? 1 : 0;
}

async function print(values: readonly EffectiveValue[], place: SettingsPlace, asJson: boolean): Promise<void> {
  if (!asJson) {
    for (const value of values) printLine(await valueLine(value, place));
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
