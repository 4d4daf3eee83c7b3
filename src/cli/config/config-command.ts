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
import { host, printError } from "../../platform/host.ts";
import { printLine, printOut } from "../../platform/standard-output.ts";
import type { EffectiveValue } from "../../services/config/effective-values.ts";
import { findSettingKey, type SettingKey } from "../../services/config/setting-keys.ts";
import { settingsSchemaText } from "../../services/config/settings-schema-text.ts";
import { IMPORT_TOOLS } from "../../services/importing/import-sources.ts";
import { createTrustStore } from "../../services/trust/trust-store.ts";
import type { ConfigInvocation, PlaceOptions } from "../invocation.ts";
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
      return edit(await openPlace(options), action);
    case "import": {
      const place = await openPlace(options);
      const { runImport } = await import("./import-command.ts");
      const tools = IMPORT_TOOLS.filter((tool) => action.tools.includes(tool));
      return runImport({ ...action, tools, parts: place, redact: await place.redactor() });
    }
    case "unset":
      return edit(await openPlace(options), action);
  }
}

async function openPlace(options: PlaceOptions): Promise<SettingsPlace> {
  const around = processEnvironment();
  const read = await readProjectSettings(around, projectConfigOf(options, host().cwd));
  const { home, state } = around.own;
  const store = await createTrustStore(join(state, "trusted-folders.json"), { home });
  for (const line of store.warnings) printError(`quoll: ${line}`);
  const isTrusted = options.trust === true || store.isTrusted(read.project.root);
  return settingsPlace(around, read, isTrusted);
}

async function list(place: SettingsPlace, asJson: boolean): Promise<number> {
  const { values } = place;
  const { held, warnings } = place.load(place.isTrusted);
  for (const warning of warnings) printError(`quoll: ${warning}`);
  for (const { file, line, what } of held)
    printError(`quoll: ${place.sourceName({ file, line })} has no effect until you trust the folder: it ${what}.`);
  if (values.length === 0 && !asJson) printLine("No setting is set: the defaults apply.");
  else await print(values, place, asJson);
  return 0;
}

async function get(place: SettingsPlace, key: SettingKey, asJson: boolean): Promise<number> {
  const values = place.values.filter(({ path }) => key.path.every((name, at) => path[at] === name));
  await print(values, place, asJson);
  if (values.length > 0) return 0;
  if (!asJson) printError(`quoll: ${key.name} is not set here.`);
  return 1;
}

/** @returns 1 if there was nothing to remove. */
async function edit(place: SettingsPlace, change: SettingEdit): Promise<number> {
  await (await import("../../app/session/settings/usable-value.ts")).assertUsableInShell(change, place);
  const { lines, warnings, isSame } = await editSetting(place, change);
  for (const warning of warnings) printError(`quoll: ${warning}`);
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
