import { Closers } from "../../app/closers.ts";
import { openExtensions } from "../../app/extensions/open-extensions.ts";
import type { OpenExtensions } from "../../app/extensions/session-extensions.ts";
import type { ProcessEnvironment } from "../../app/process-environment.ts";
import type { ProjectEnvironment } from "../../app/session/project-environment.ts";
import type { Check } from "../../contracts/doctor.ts";
import type { ListedExtension } from "../../contracts/extension.ts";
import type { Provider } from "../../contracts/provider.ts";
import type { ProjectConfig } from "../../contracts/session-config.ts";
import { systemClock } from "../../platform/clock.ts";

export type CheckedExtensions = {
  readonly checks: readonly Check[];
  /** The providers that the extensions add, by name. */
  readonly providers: ReadonlyMap<string, Provider>;
  /** Frees what they hold. */
  close(): Promise<void>;
};

export type ExtensionCheck = {
  readonly around: ProcessEnvironment;
  readonly config: ProjectConfig;
  readonly version: string;
  /** The extensions of the running session; if absent, the extensions are loaded like in a session. */
  readonly extensions?: OpenExtensions | undefined;
};

/** Lists what the extensions add. */
export async function checkExtensions(
  environment: ProjectEnvironment,
  { around, config, version, extensions }: ExtensionCheck,
): Promise<CheckedExtensions> {
  if (extensions) return checked(extensions, async () => undefined);
  const closers = new Closers();
  const opened = await openExtensions(config, environment, {
    ...around,
    version,
    closers,
    clock: systemClock,
    hasScreen: false,
    // The list contains the faults.
    notify: () => undefined,
  });
  return checked(opened, () => closers.close());
}

function checked({ view, models, providers }: OpenExtensions, close: () => Promise<void>): CheckedExtensions {
  const checks = view.list().map(checkOf);
  const named: readonly Check[] = models.length === 0 ? [] : [{ name: "models", level: "ok", text: models.join(", ") }];
  return { checks: [...checks, ...named], providers, close };
}

function checkOf({ name, file, isOn, isUnapproved, adds, faults: [fault] }: ListedExtension): Check {
  if (isUnapproved)
    return {
      name,
      level: "warning",
      text: `${file} is not approved, so it is left out`,
      fix: "Start quoll in this folder: it shows the extension and asks.",
    };
  if (fault !== undefined) return { name, level: "warning", text: `${file}: ${fault}` };
  return { name, level: "ok", text: isOn ? adds.join("; ") || "adds nothing" : "off" };
}
