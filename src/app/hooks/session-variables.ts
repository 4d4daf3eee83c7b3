import type { Environment } from "../../platform/env.ts";

/** The variables that commands of a session inherit. Hooks and changed settings can change them while the session runs. */
export class SessionVariables {
  readonly #env: Environment;
  readonly #ofHooks: Record<string, string> = {};
  readonly #values: Record<string, string | undefined>;

  constructor(env: Environment, ofSettings: Readonly<Record<string, string>>) {
    this.#env = env;
    this.#values = { ...env, ...ofSettings };
  }

  /** The same object for the whole session; later variables appear in it. */
  get environment(): Environment {
    return this.#values;
  }

  set(variables: Readonly<Record<string, string>>): void {
    Object.assign(this.#ofHooks, variables);
    Object.assign(this.#values, variables);
  }

  /** Takes the `env` of changed settings. Variables that hooks have set are kept. */
  setSettings(ofSettings: Readonly<Record<string, string>>): void {
    const now = { ...this.#env, ...ofSettings, ...this.#ofHooks };
    for (const name of Object.keys(this.#values)) if (!(name in now)) delete this.#values[name];
    Object.assign(this.#values, now);
  }
}
