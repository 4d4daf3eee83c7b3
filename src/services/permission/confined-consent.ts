import { oneLine } from "@quoll/terminal-text/one-line";
import { errorMessage } from "../../contracts/errors.ts";
import type { ConsentStatus, PathRule } from "../../contracts/permission.ts";
import type { SandboxState } from "../../contracts/ports.ts";
import type { Answerer } from "../../contracts/session-config.ts";
import type { ConsentSources, SandboxScope } from "../../contracts/settings.ts";
import { shortPath } from "../../platform/directories.ts";
import { isInside } from "../../platform/paths.ts";
import { matchesHost } from "./rules/rule.ts";

export type ConsentDeps = {
  /** The settings that take effect (see `effectiveConsent`). */
  readonly sources: ConsentSources;
  readonly limits: SandboxLimits;
  readonly home: string;
  readonly answerer: Answerer;
  /** True if only the managed file may allow anything: a person's consent then has no effect. */
  readonly isManagedOnly: boolean;
  /** Stores the consent in the user's own file for this project; undefined deletes it. */
  keep(scope: SandboxScope | undefined): Promise<void>;
};

const GIVEN = { session: "your answer in this session", always: "your answer, kept for this project" } as const;

type Closed = NonNullable<SandboxScope["closed"]>;

/** The limits that the current settings set for confined commands in a full sandbox. */
type SandboxLimits = Omit<SandboxScope, "strength" | "closed"> & { readonly closed: Omit<Closed, "rules"> };

type Confined = Extract<SandboxState, { readonly strength: string }>;

/** Keeps track of a person's consent to run confined commands without a question. */
export class ConfinedConsent {
  readonly #deps: ConsentDeps | undefined;
  readonly #rules: () => readonly PathRule[];
  /** The answer given or revoked in this session, which takes precedence over settings. */
  #answer: { readonly isGiven: boolean; readonly lasts?: "session" | "always" } | undefined;
  #kept: ConsentSources["kept"];

  /**
   * @param deps Undefined if nobody can consent and no answer is stored.
   * @param rules The active rules that the sandbox enforces.
   */
  constructor(deps: ConsentDeps | undefined, rules: () => readonly PathRule[]) {
    this.#deps = deps;
    this.#rules = rules;
    this.#kept = deps?.sources.kept;
  }

  /** True if the consent covers everything that commands can do in this sandbox. */
  holds(state: SandboxState): boolean {
    return this.#giver(state) !== undefined;
  }

  /** The text of the offer; undefined if it must not be made or was already accepted. */
  offer(state: SandboxState): string | undefined {
    if (!this.isPossible || this.#deps?.answerer !== "person" || this.holds(state)) return undefined;
    return this.scope(state);
  }

  /**
   * Describes the powers of commands in this sandbox in one or two sentences; undefined if they are not known.
   * @param opened Hosts that are open besides those of the settings.
   */
  scope(state: SandboxState, opened: readonly string[] = []): string | undefined {
    if (!this.#deps || state.kind === undefined) return undefined;
    const { limits, home } = this.#deps;
    return describeScope({ ...limits, hosts: [...limits.hosts, ...opened] }, state, home);
  }

  /**
   * True if a person's consent would take effect: no settings layer forbids it, and allow rules are not limited to the
   * managed file.
   */
  get isPossible(): boolean {
    return this.#deps !== undefined && this.#deps.sources.refusedBy === undefined && !this.#deps.isManagedOnly;
  }

  /** @returns one line for the person if the answer could not be stored; it then applies only to this session. */
  async agree(lasts: "session" | "always", state: SandboxState): Promise<string | undefined> {
    if (!this.#deps || state.kind === undefined) return undefined;
    this.#answer = { isGiven: true };
    if (lasts === "session") return undefined;
    try {
      await this.#deps.keep(scopeOn(this.#deps.limits, state, this.#rules()));
      this.#answer = { isGiven: true, lasts };
      return undefined;
    } catch (error) {
      return `${errorMessage(error)} The consent holds for this session only.`;
    }
  }

  /**
   * Revokes the consent at once, and in the user's own file.
   * @returns lines for the person.
   * @throws {UserFacingError} the file can't be written.
   */
  async revoke(): Promise<readonly string[]> {
    const { sources, keep } = this.#deps ?? {};
    const isGiven = this.status().isGiven;
    this.#answer = { isGiven: false };
    if (this.#kept || isGiven) await keep?.(undefined);
    this.#kept = undefined;
    // Consent from the command line ends with the session.
    const others = sources?.agreedBy.filter(({ layer }) => layer !== "flag" && layer !== "settings-flag") ?? [];
    const said = isGiven
      ? "Consent revoked: Quoll asks about commands in the sandbox again."
      : "Quoll already asks about commands in the sandbox.";
    return [
      said,
      ...others.map(
        ({ file }) =>
          `In the next session ${shortPath(file, this.#deps?.home ?? "/")} gives this consent again: remove sandbox.autoAllowBashIfSandboxed there.`,
      ),
    ];
  }

  /** @param state Before the sandbox is probed, a full bubblewrap sandbox is assumed. */
  status(state: SandboxState = { kind: "bubblewrap", strength: "full", hasNetwork: false }): ConsentStatus {
    const giver = this.#giver(state);
    if (giver !== undefined)
      return { isGiven: true, line: `Commands in the sandbox run without a question: ${giver}.` };
    const asked = "Quoll asks about commands in the sandbox";
    const refusedBy = this.#deps?.sources.refusedBy;
    if (refusedBy !== undefined)
      return { isGiven: false, line: `${asked}: sandbox.autoAllowBashIfSandboxed is false (${refusedBy}).` };
    const isWider = this.#kept !== undefined && this.#answer === undefined;
    return { isGiven: false, line: isWider ? `${asked}: they can do more now than when you agreed.` : `${asked}.` };
  }

  /** The source of the consent as a short phrase; undefined without consent. */
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

/** The scope of confined commands on this machine: Landlock never allows network or sockets, regardless of settings. */
function scopeOn(
  limits: SandboxLimits,
  { strength }: Confined,
  rules: readonly PathRule[],
): SandboxScope & { readonly closed: Closed } {
  const closed = { ...limits.closed, rules: rules.map(({ decision, text }) => `${decision} ${text}`) };
  return { ...limits, ...(strength === "weak" && { hosts: [], sockets: [] }), strength, closed };
}

/** True if commands can do no more now than when the person consented. */
function isCovered(now: ReturnType<typeof scopeOn>, agreed: SandboxScope): boolean {
  return (
    agreed.closed !== undefined &&
    isStillClosed(agreed.closed, now.closed) &&
    isWithin(now.writable, agreed.writable) &&
    isWithin(now.opened, agreed.opened) &&
    isWithin(now.sockets, agreed.sockets) &&
    areMatched(now.hosts, agreed.hosts) &&
    (now.strength === "full" || agreed.strength === "weak")
  );
}

/**
 * True if everything that was closed to commands at the time of consent is still closed. An ask rule may have become a
 * deny rule.
 */
function isStillClosed(before: Closed, now: Closed): boolean {
  const rules = new Set(now.rules);
  return (
    isWithin(before.read, now.read) &&
    isWithin(before.write, now.write) &&
    areMatched(before.hosts, now.hosts) &&
    before.rules.every((rule) => rules.has(rule) || rules.has(rule.replace(/^ask /, "deny ")))
  );
}

function isWithin(paths: readonly string[], folders: readonly string[]): boolean {
  return paths.every((path) => folders.some((folder) => isInside(folder, path)));
}

function areMatched(hosts: readonly string[], patterns: readonly string[]): boolean {
  return hosts.every((host) => patterns.some((pattern) => pattern === host || matchesHost(pattern, host)));
}

/**
 * Describes the scope that a person consents to.
 * @param state State of the sandbox; a weak sandbox is described as such, with the reason.
 * @param home Shown as `~` in paths.
 */
function describeScope(limits: SandboxLimits, state: Confined, home: string): string {
  const { writable, opened, hosts, sockets } = scopeOn(limits, state, []);
  const named = (paths: readonly string[]) => paths.map((path) => oneLine(shortPath(path, home)));
  const readable = [".env files of projects", ...named(opened)];
  const reached = [...hosts.map((host) => (host === "*" ? "every host" : oneLine(host))), ...named(sockets)];
  const words = `Commands may change and delete files in ${joined([...named(writable), "temporary files"], "and")}, read everything but stored credentials such as ~/.ssh (${joined(readable, "and")} can be read), and reach ${reached.length === 0 ? "no host" : `only ${joined(reached, "and")}`}.`;
  return state.strength === "weak" ? `${words} ${describeWeakness(state)}` : words;
}

function describeWeakness({ kind, whyWeak }: Confined): string {
  const why = whyWeak === undefined ? "" : `: ${oneLine(whyWeak)}`;
  return `This sandbox is weaker (${kind}${why}): commands can also see the names and sizes of hidden files, and can change the modes of your files outside the project.`;
}

function joined(items: readonly string[], word = ""): string {
  if (word === "" || items.length < 2) return items.join(", ");
  return `${items.slice(0, -1).join(", ")} ${word} ${items.at(-1)}`;
}
