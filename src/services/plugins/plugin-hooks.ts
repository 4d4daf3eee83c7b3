import { join } from "node:path";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import { readHookTable } from "../../contracts/hook-table.ts";
import { entryExists } from "../../platform/paths.ts";
import { isRecord } from "./manifest.ts";
import { pathsOf, type Reading } from "./plugin-paths.ts";
import { readObject } from "./read-object.ts";

/** Lists of hooks by event, with the file that has them. */
type HookTable = { readonly table: Readonly<Record<string, unknown>>; readonly file: string };

/** The hooks of `hooks/hooks.json` and of the manifest. A hook that does not fit costs a problem, not the others. */
export function pluginHooks(
  {
    value,
    manifestFile,
    isScanned,
  }: { readonly value: unknown; readonly manifestFile: string; readonly isScanned: boolean },
  plugin: NonNullable<DeclaredHook["plugin"]>,
  reading: Reading,
): readonly DeclaredHook[] {
  const usual = join(reading.root, "hooks/hooks.json");
  const inline = isRecord(value) ? [{ table: tableOf(value), file: manifestFile }] : [];
  const named = isRecord(value) ? [] : pathsOf("hooks", value, reading);
  const files = [...new Set([...(isScanned && entryExists(usual) ? [usual] : []), ...named])];
  const tables = files.flatMap((file): readonly HookTable[] => {
    const content = readObject(file, reading);
    return content ? [{ table: tableOf(content), file }] : [];
  });
  return [...tables, ...inline].flatMap((one) => hooksOf(one, plugin, reading));
}

/** The events are listed below `hooks`, or directly in the file. */
function tableOf(content: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { hooks } = content;
  return isRecord(hooks) ? hooks : content;
}

function hooksOf(
  { table, file }: HookTable,
  plugin: NonNullable<DeclaredHook["plugin"]>,
  { problem }: Reading,
): readonly DeclaredHook[] {
  const { description: _, ...events } = table;
  return readHookTable(events, (text) => problem(`hooks: ${text}`)).map((one) => ({
    ...one,
    file,
    layer: "user",
    plugin,
  }));
}
