import { errorMessage } from "../../contracts/errors.ts";
import type { ConsentStatus, PathRule } from "../../contracts/permission.ts";
import type { SandboxState } from "../../contracts/ports.ts";
import type { ConsentSources, SandboxScope } from "../../contracts/settings.ts";
import { shortPath } from "../../platform/directories.ts";
import { describeScope, isCovered, type SandboxLimits, scopeOn } from "./sandbox-scope.ts";

/** Who answers questions: a person at a terminal, a program that is called back, or nobody. */
export type Answerer = "person" | "program" | "nobody";

export type ConsentDeps = {
  /** What settings say, as far as it counts here (`countingSources`). */
  readonly sources: ConsentSources;
  readonly limits: SandboxLimits;
  readonly home: string;
  readonly answerer: Answerer;
  /** Whether only the managed file may allow anything: then no person's yes counts. */
  readonly isManagedOnly: boolean;
  /** Keeps the answer in the user's own file for this project; without a scope it is taken back. */
  keep(scope: SandboxScope | undefined): Promise<void>;
};

const GIVEN = { session: "your answer in this session", always: "your answer, kept for this project" } as const;

/** Whether a person agreed that commands which stay in the sandbox run without a question. */
export class ConfinedConsent {
  readonly #deps: ConsentDeps | undefined;
  readonly #rules: () => readonly PathRule[];
  /** Given, or taken back, in this session: that comes before what settings say. */
  #answer: { readonly isGiven: boolean; readonly lasts?: "session" | "always" } | undefined;
  #kept: ConsentSources["kept"];

  /**
   * @param deps Undefined where nobody can agree and nothing is kept.
   * @param rules The rules in force that the sandbox carries out.
   */
  constructor(deps: ConsentDeps | undefined, rules: () => readonly PathRule[]) {
    this.#deps = deps;
    this.#rules = rules;
    this.#kept = deps?.sources.kept;
  }

  /** Whether the agreement covers what commands can do in this sandbox. */
  holds(state: SandboxState): boolean {
    return this.#giver(state) !== undefined;
  }

  /** The words of the offer; undefined where it must not be made, or has been taken. */
  offer(state: SandboxState): string | undefined {
    const deps = this.#deps;
    if (!deps || !this.isPossible || deps.answerer !== "person" || state.kind === undefined) return undefined;
    return this.holds(state) ? undefined : describeScope(deps.limits, state, deps.home);
  }

  /** Whether a person's yes would count: no layer says no, and not only the managed file may allow. */
  get isPossible(): boolean {
    return this.#deps !== undefined && this.#deps.sources.refusedBy === undefined && !this.#deps.isManagedOnly;
  }

  /** @returns one line for the person when the answer could not be kept; then it holds for this session. */
  async agree(lasts: "session" | "always", state: SandboxState): Promise<string | undefined> {
    if (!this.#deps || state.kind === undefined) return undefined;
    this.#answer = { isGiven: true };
    if (lasts === "session") return undefined;
    try {
      await this.#deps.keep(scopeOn(this.#deps.limits, state, this.#rules()));
      this.#answer = { isGiven: true, lasts };
      return undefined;
    } catch (error) {
      return `${errorMessage(error)} It holds for this session.`;
    }
  }

  /** Takes the agreement back: at once, and in the user's own file. @returns lines for the person. @throws {UserFacingError} the file can't be written. */
  async revoke(): Promise<readonly string[]> {
    const { sources, keep } = this.#deps ?? {};
    const isGiven = this.status().isGiven;
    this.#answer = { isGiven: false };
    if (this.#kept || isGiven) await keep?.(undefined);
    this.#kept = undefined;
    // What this command line gave ends with the session.
    const others = sources?.agreedBy.filter(({ layer }) => layer !== "flag" && layer !== "settings-flag") ?? [];
    const said = isGiven
      ? "Taken back: confined commands are asked about again."
      : "Confined commands are asked about already.";
    return [
      said,
      ...others.map(
        ({ file }) =>
          `In the next session ${shortPath(file, this.#deps?.home ?? "/")} allows it again: remove sandbox.autoAllowBashIfSandboxed there.`,
      ),
    ];
  }

  /** @param state Undefined as long as the sandbox was not probed: then a full one is assumed. */
  status(state: SandboxState = { kind: "bubblewrap", strength: "full", hasNetwork: false }): ConsentStatus {
    const giver = this.#giver(state);
    if (giver !== undefined) return { isGiven: true, line: `Confined commands run without a question: ${giver}.` };
    const asked = "Confined commands are asked about";
    const refusedBy = this.#deps?.sources.refusedBy;
    if (refusedBy !== undefined)
      return { isGiven: false, line: `${asked}: sandbox.autoAllowBashIfSandboxed is false (${refusedBy}).` };
    const isWider = this.#kept !== undefined && this.#answer === undefined;
    return { isGiven: false, line: isWider ? `${asked}: they can do more now than when you agreed.` : `${asked}.` };
  }

  /** Who agreed, in a few words; undefined when nobody did. */
  #giver(state: SandboxState): string | undefined {
    const deps = this.#deps;
    if (!deps || deps.sources.refusedBy !== undefined) return undefined;
    if (this.#answer) return this.#answer.isGiven ? GIVEN[this.#answer.lasts ?? "session"] : undefined;
    const setting = deps.sources.agreedBy.at(-1);
    if (setting) return shortPath(setting.file, deps.home);
    if (!this.#kept || state.kind === undefined) return undefined;
    return isCovered(scopeOn(deps.limits, state, this.#rules()), this.#kept.scope)
      ? `your answer (${shortPath(this.#kept.file, deps.home)})`
      : undefined;
  }
}
