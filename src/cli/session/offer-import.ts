import { join } from "node:path";
import type { Session } from "../../app/session/session.ts";

/** Tells the person once that settings of another agent can be imported. Reads nothing before the first frame. */
export async function offerImport({ environment, config, main }: Session): Promise<void> {
  if (config.isBare) return;
  const { importOffer } = await import("../config/import-offers.ts");
  const { own, env, project, isTrusted, ownSettingsFile, managedSettingsFile } = environment;
  const paths = { user: join(own.config, "settings.json"), own: ownSettingsFile, managed: managedSettingsFile };
  const line = await importOffer({ own, env, project, isTrusted, paths });
  if (line !== undefined) main.engine.notify(line);
  const { projectHooksLine } = await import("../config/project-hooks-line.ts");
  const idle = await projectHooksLine({ own, project, isTrusted });
  if (idle !== undefined) main.engine.notify(idle);
}
