import { resolve } from "node:path";
import { processEnvironment } from "../../app/process-environment.ts";
import { readProjectSettings } from "../../app/session/settings/read-project-settings.ts";

export type PluginEnvironment = Awaited<ReturnType<typeof openPluginEnvironment>>;

/** The folders and settings for `quoll plugin`. @throws {UserFacingError} (exit 2) a settings file or the folder is wrong. */
export async function openPluginEnvironment({ cwd = "." }: { readonly cwd?: string }) {
  const around = processEnvironment();
  const config = { cwd: resolve(around.machine.cwd, cwd) };
  const { paths, load } = await readProjectSettings(around, config);
  return { ...around, cwd: config.cwd, paths, plugins: load(true).settings.plugins };
}
