import { type Directories, directories } from "../platform/directories.ts";
import { type Environment, environment } from "../platform/env.ts";
import { type Host, host } from "../platform/host.ts";

/** The process's variables, its machine, and Quoll's folders on it. */
export type ProcessEnvironment = { readonly env: Environment; readonly machine: Host; readonly own: Directories };

export function processEnvironment(env = environment()): ProcessEnvironment {
  return { env, machine: host(), own: directories(env) };
}
