import { stripWrappers } from "@quoll/bash-syntax/strip-wrappers";
import type { SimpleCommand } from "@quoll/bash-syntax/types";
import { errorMessage } from "../../../contracts/errors.ts";
import type { Asker } from "../../../contracts/question.ts";
import type { Environment } from "../../../platform/env.ts";
import { variablesWantedBy, withheldVariables } from "../../../platform/processes/credential-variables.ts";

export type CredentialDeps = {
  readonly environment: Environment;
  /** Names of variables that the settings pass to commands; `*` matches any text. */
  readonly passed: readonly string[];
  readonly asker: Asker;
  /** Adds names to `env.pass` in the user's own file for this project. */
  persist(names: readonly string[]): Promise<void>;
  /** Shows one line to the person. */
  onNotice(message: string): void;
};

/** The variables that look like credentials and that commands get: those in the settings, and those that a person approved. */
export class Credentials {
  readonly #deps: CredentialDeps;
  readonly #given = new Set<string>();
  /** Refused variables, about which this session does not ask again. */
  readonly #refused = new Set<string>();

  constructor(deps: CredentialDeps) {
    this.#deps = deps;
  }

  /** The names of variables for a command that starts now. */
  get passed(): readonly string[] {
    return [...this.#deps.passed, ...this.#given];
  }

  /** The names of the withheld variables. */
  get withheld(): readonly string[] {
    return withheldVariables(this.#deps.environment, this.passed);
  }

  /** Asks once for each program whether to pass the withheld variables that the program is known to use. */
  async offer(commands: readonly SimpleCommand[], toolUseId: string, signal: AbortSignal): Promise<readonly string[]> {
    const once: string[] = [];
    if (!this.#deps.asker.canAsk) return once;
    for (const command of commands) {
      const [head, ...args] = (stripWrappers(command) ?? command).words.map(({ value }) => value ?? "");
      const program = head?.split("/").at(-1) ?? "";
      const withheld = new Set(this.withheld);
      const names = variablesWantedBy(program, args).filter((name) => withheld.has(name) && !this.#refused.has(name));
      if (names.length > 0) once.push(...(await this.#ask(program, names, toolUseId, signal)));
    }
    return once;
  }

  async #ask(program: string, names: readonly string[], toolUseId: string, signal: AbortSignal) {
    const list = names.join(" and ");
    const question = {
      title: `Give ${list} to ${program}?`,
      body: {
        kind: "credential",
        call: { toolUseId, toolName: "Bash" },
        preview: { kind: "text", text: `${program} can use ${list} from your environment.` },
        reason: "Commands do not get variables that look like credentials.",
        rules: names.map((name) => `env.pass: ${name}`),
      },
    } as const;
    const reply = await this.#deps.asker.ask(question, signal);
    switch (reply.decision) {
      case "once":
        return names;
      case "reject":
        for (const name of names) this.#refused.add(name);
        return [];
      case "always":
        await this.#deps.persist(names).catch((error: unknown) => this.#deps.onNotice(errorMessage(error)));
    }
    for (const name of names) this.#given.add(name);
    return [];
  }
}
