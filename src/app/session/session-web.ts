import { once } from "@quoll/async/once";
import type { WebReader } from "../../contracts/web.ts";
import { systemClock } from "../../platform/clock.ts";
import { selfCommand } from "../../platform/host.ts";
import type { ProjectEnvironment } from "./project-environment.ts";

/** The reader of web pages that the agents of a session share, loaded at its first use. */
export type SessionWeb = { reader(): Promise<WebReader> };

export function sessionWeb(
  { env, settings }: Pick<ProjectEnvironment, "env" | "settings">,
  version: string,
): SessionWeb {
  return {
    reader: once(async () => {
      const { createWebReader } = await import("../../services/web/create-web-reader.ts");
      return createWebReader({
        clock: systemClock,
        environment: { ...env, ...settings.env },
        userAgent: `Quoll/${version}`,
        selfCommand: selfCommand(),
      });
    }),
  };
}
