import { join } from "node:path";
import { processEnvironment } from "../../app/process-environment.ts";
import {
  editSetting,
  type FolderSettings,
  folderSettings,
  valueLine,
} from "../../app/session/settings/folder-settings.ts";
import { readProjectSettings } from "../../app/session/settings/read-project-settings.ts";
import type { SettingEdit } from "../../contracts/settings-view.ts";
import { host, printProblem } from "../../platform/host.ts";
import { printLine, printOut } from "../../platform/standard-output.ts";
import type { EffectiveValue } from "../../services/config/effective-values.ts";
import { findSettingKey } from "../../services/config/setting-keys.ts";
import { settingsSchemaText } from "../../services/config/settings-schema-text.ts";
import { IMPORT_TOOLS } from "../../services/importing/import-sources.ts";
import { createTrustStore } from "../../services/trust/trust-store.ts";
import type { FolderOptions } from "../invocation.ts";
import { projectConfigOf } from "../session/session-config.ts";

/** `quoll config schema`. */
export async function printSchema(): Promise<number> {
  printOut(settingsSchemaText());
  return 0;
}

/** `quoll config import`. @param names The programs to import from; empty for all. */
export async function importSettings(
  names: readonly string[],
  { apply = false, json = false, ...options }: FolderOptions & { readonly apply?: boolean; readonly json?: boolean },
): Promise<number> {
  const folder = await openFolder(options);
  const { runImport } = await import("./import-command.ts");
  const tools = IMPORT_TOOLS.filter((tool) => names.includes(tool));
  return runImport({ tools, applies: apply, asJson: json, parts: folder, redact: await folder.redactor() });
}

async function openFolder(options: FolderOptions): Promise<FolderSettings> {
  const around = processEnvironment();
  const read = await readProjectSettings(around, projectConfigOf(options, host().cwd));
  const { home, state } = around.own;
  const store = await createTrustStore(join(state, "trusted-folders.json"), { home });
  for (const line of store.warnings) printProblem(line);
  const isTrusted = options.trust === true || store.isTrusted(read.project.root);
  return folderSettings(around, read, isTrusted);
}

/** `quoll config list`. */
export async function list({ json: asJson = false, ...options }: FolderOptions & { json?: boolean }): Promise<number> {
  const folder = await openFolder(options);
  const { values } = folder;
  const { held, warnings } = folder.load(folder.isTrusted);
  for (const warning of warnings) printProblem(warning);
  for (const { file, line, what } of held)
    printProblem(`${folder.sourceName({ file, line })} has no effect until you trust the folder: it ${what}.`);
  if (values.length === 0 && !asJson) printLine("No setting is set: the defaults apply.");
  else await print(values, folder, asJson);
  return 0;
}

/** `quoll config get`. @returns 1 if there is no value. */
export async function get(name: string, options: FolderOptions, asJson: boolean): Promise<number> {
  const folder = await openFolder(options);
  const key = findSettingKey(name);
  const values = folder.values.filter(({ path }) => key.path.every((name, at) => path[at] === name));
  await print(values, folder, asJson);
  if (values.length > 0) return 0;
  if (!asJson) printProblem(`${key.name} is not set here.`);
  return 1;
}

/** `quoll config set` and `unset`. @returns 1 if there was nothing to remove. */
export async function edit(options: FolderOptions, change: SettingEdit): Promise<number> {
  const folder = await openFolder(options);
  await (await import("../../app/session/settings/usable-value.ts")).assertUsableInShell(change, folder);
  const { lines, warnings, isSame } = await editSetting(folder, change);
  for (const warning of warnings) printProblem(warning);
  for (const line of lines) printLine(line);
  return change.what === "unset" && isSame ? 1 : 0;
}

async function print(values: readonly EffectiveValue[], folder: FolderSettings, asJson: boolean): Promise<void> {
  if (!asJson) {
    for (const value of values) printLine(await valueLine(value, folder));
    return;
  }
  const data = await Promise.all(
    values.map(async ({ key, path, value, source, overridden }) => ({
      key,
      value: JSON.parse(await folder.shown(path, value)) as unknown,
      source,
      ...(overridden.length > 0 && { overridden }),
    })),
  );
  printLine(JSON.stringify(data, null, 2));
}
