import type { Environment } from "../../platform/env.ts";

/** The variables that commands of a session inherit. Hooks can add some while the session runs. */
export class SessionVariables {
  readonly #values: Record<string, string | undefined>;

  constructor(env: Environment, ofSettings: Readonly<Record<string, string>>) {
    this.#values = { ...env, ...ofSettings };
  }

  /** The same object for the whole session; later variables appear in it. */
  get environment(): Environment {
    return this.#values;
  }

  set(variables: Readonly<Record<string, string>>): void {
    Object.assign(this.#values, variables);
  }
}
