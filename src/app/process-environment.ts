import { type Directories, directories } from "../platform/directories.ts";
import { type Environment, environment } from "../platform/env.ts";
import { type Host, host } from "../platform/host.ts";

/** What this process was given: its variables, its machine, and our folders in it. */
export type ProcessEnvironment = { readonly env: Environment; readonly machine: Host; readonly own: Directories };

export function processEnvironment(env = environment()): ProcessEnvironment {
  return { env, machine: host(), own: directories(env) };
}
