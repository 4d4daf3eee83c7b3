import type { Environment } from "../env.ts";
import { isCredential } from "./credential-variables.ts";

/** The search path for programs of the desktop: programs from a project's packages never learn what they are given. */
export function desktopPath(path: string): string {
  return path
    .split(":")
    .filter((folder) => !folder.split("/").includes("node_modules"))
    .join(":");
}

/** The environment of such a program, without credentials. */
export function desktopEnvironment(env: Environment): Record<string, string> {
  const entries = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || isCredential(name, value) ? [] : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}
