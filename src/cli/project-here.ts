import { resolve } from "node:path";
import { processEnvironment } from "../app/process-environment.ts";
import { openProjectEnvironment, type ProjectEnvironment } from "../app/session/project-environment.ts";

type FolderOptions = { readonly cwd?: string | undefined; readonly trust?: boolean | undefined };

/** The project of this folder, or of a folder named from here. @param startupWarning Gets warnings about its settings. */
export function projectHere(
  { cwd = ".", trust }: FolderOptions = {},
  startupWarning = (_: string) => {},
): Promise<ProjectEnvironment> {
  const around = processEnvironment();
  const config = { cwd: resolve(around.machine.cwd, cwd), ...(trust && { isTrusted: true as const }) };
  return openProjectEnvironment(around, config, { startupWarning });
}
