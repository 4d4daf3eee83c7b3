import type { PathRule } from "../../contracts/permission.ts";
import type { PermissionMode } from "../../contracts/permission-mode.ts";
import { type ModesInForce, narrowerModes } from "./narrower-modes.ts";
import type { PermissionScope } from "./permission-deps.ts";

/** The part of an agent's permission engine that other agents of the session need. */
type Member = {
  /** The mode that was set for the agent. */
  ownMode(): PermissionMode;
  /** The path rules of only this agent; the same array until they change. */
  ownPathRules(): readonly PathRule[];
  /** Settles the pending questions of the agent that new rules or modes now answer. */
  settleWaiting(): void;
};

/** The place of an agent among the agents of a session: the limits from its parent, and the rules of its children. */
export class AgentTree {
  readonly #member: Member;
  readonly #parent: AgentTree | undefined;
  readonly #children = new Set<AgentTree>();
  /** True if the agent's commands run in a separate sandbox. */
  #isApart = false;
  #joined: { readonly of: readonly (readonly PathRule[])[]; readonly rules: readonly PathRule[] } | undefined;

  constructor(member: Member, parent: AgentTree | undefined) {
    this.#member = member;
    this.#parent = parent;
  }

  get isRoot(): boolean {
    return this.#parent === undefined;
  }

  /** The active modes: together never wider than the parent's. */
  get modes(): ModesInForce {
    const own = this.#member.ownMode();
    return this.#parent ? narrowerModes(this.#parent.modes, own) : [own];
  }

  /** Call this when the agent is open: its parent then includes its rules, unless the agent has a separate sandbox. */
  open(isApart: boolean): void {
    this.#isApart = isApart;
    if (this.#parent) this.#parent.#children.add(this);
  }

  close(): void {
    if (this.#parent) this.#parent.#children.delete(this);
  }

  /**
   * The path rules of the agent and of all agents below it. One sandbox serves all agents of a session without a
   * separate sandbox, so every command in it is denied the paths that any of these agents may not access. The array
   * stays the same until a rule changes.
   */
  pathRules(): readonly PathRule[] {
    const own = this.#member.ownPathRules();
    const sharing = [...this.#children].filter((child) => !child.#isApart);
    if (sharing.length === 0) return own;
    const lists = [own, ...sharing.map((child) => child.pathRules())];
    const isSame = lists.length === this.#joined?.of.length && lists.every((list, at) => list === this.#joined?.of[at]);
    if (!isSame) this.#joined = { of: lists, rules: uniqueRules(lists.flat()) };
    return this.#joined?.rules ?? own;
  }

  /** Settles pending questions of every agent of the session that new rules or a new mode answer. */
  settleAll(): void {
    if (this.#parent) this.#parent.settleAll();
    else this.#settleBelow();
  }

  #settleBelow(): void {
    this.#member.settleWaiting();
    for (const child of this.#children) child.#settleBelow();
  }
}

/** The deny and ask rules in the scope of a child agent, as session rules. */
export function scopeRules({ deny = [], ask = [] }: Pick<PermissionScope, "deny" | "ask">, base: string) {
  const of = (decision: "deny" | "ask") => (rule: string) =>
    ({ rule, decision, file: "the agent's scope", layer: "session", base }) as const;
  return [...deny.map(of("deny")), ...ask.map(of("ask"))];
}

function uniqueRules(rules: readonly PathRule[]): readonly PathRule[] {
  return [...new Map(rules.map((rule) => [`${rule.decision} ${rule.action} ${rule.text}`, rule])).values()];
}
