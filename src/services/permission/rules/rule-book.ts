import { UserFacingError } from "../../../contracts/errors.ts";
import type { Decision, RuleChange, RuleDescription } from "../../../contracts/permission.ts";
import type { PermissionMode } from "../../../contracts/permission-mode.ts";
import type { RuleSource } from "../../../contracts/settings.ts";
import type { ChildCheckout } from "../permission-deps.ts";
import { compileRules, type IgnoredRule, type RuleContext } from "./compile-rules.ts";
import { closingRule, inCheckout } from "./moved-rules.ts";
import { namesTool, READ_TOOLS, type Rule, WRITE_TOOLS } from "./rule.ts";
import { whyNotOffered } from "./wide-rules.ts";

const STRICTEST_FIRST: readonly Decision[] = ["deny", "ask", "allow"];

/** The rules of a session: those from settings, and those added by answers and plans. Writes nothing to disk. */
export class RuleBook {
  readonly #base: string;
  readonly warnings: readonly string[];
  #context: RuleContext;
  #ignored: readonly IgnoredRule[];
  #rules: readonly Rule[];
  /** Rules of settings that a program removed for this session. */
  readonly #removed = new Set<string>();
  /** The warnings about leased rules, each of which is said once. */
  readonly #notified = new Set<string>();
  /** Rules that end before the session does. */
  readonly #leased = new Set<Rule>();

  /**
   * @param base Base folder of `/x` in session rules.
   * @throws {UserFacingError} (exit 2) a rule is invalid.
   */
  constructor(sources: readonly RuleSource[], context: RuleContext, base: string) {
    this.#context = context;
    this.#base = base;
    const { rules, ignored, warnings } = compileRules(sources, context);
    this.#rules = rules;
    this.#ignored = ignored;
    this.warnings = warnings;
  }

  /** The rules in effect. */
  get rules(): readonly Rule[] {
    return this.#rules;
  }

  /** The rules that have no effect, with the reason. */
  get ignored(): readonly IgnoredRule[] {
    return this.#ignored;
  }

  /**
   * Replaces the rules of settings by those of changed files; rules of this session stay. All rules are compiled again,
   * so that relative paths also apply in an added folder.
   * @returns warnings for the person.
   * @throws {UserFacingError} (exit 2) a rule is invalid; nothing is changed.
   */
  reload(sources: readonly RuleSource[], managedRulesOnly: boolean): readonly string[] {
    const context = { ...this.#context, managedRulesOnly };
    const { rules, ignored, warnings } = compileRules(sources, context);
    const ofSession = this.#rules.filter(
      ({ layer, decision }) => layer === "session" && (decision !== "allow" || !managedRulesOnly),
    );
    this.#context = context;
    this.#ignored = ignored;
    this.#rules = [
      ...rules.filter((rule) => !this.#removed.has(keyOf(rule))),
      ...ofSession.flatMap((rule) =>
        rule.decision === "allow" || this.#leased.has(rule)
          ? [rule]
          : this.compile([rule.text], rule.source, rule.decision),
      ),
    ];
    return warnings;
  }

  /** Allow rules that would take effect if the folder were trusted. */
  get awaitingTrust(): readonly Rule[] {
    return this.ignored.filter(({ awaitsTrust }) => awaitsTrust).map(({ rule }) => rule);
  }

  /**
   * A rule book with all present and future rules of this book, and additional rules that only tighten.
   * @param checkout The rules also apply to the corresponding paths of this checkout, and the replaced checkout is
   * read-only.
   */
  narrow(tightening: readonly RuleSource[], checkout?: ChildCheckout): RuleBook {
    return new NarrowedRuleBook(this, { tightening, checkout, context: this.#context, base: this.#base });
  }

  /** Compiles session rules without activating them; omits rules that would be ignored. */
  compile(texts: readonly string[], source = "this session", decision: Decision = "allow"): readonly Rule[] {
    return this.#compiled(texts, source, decision).rules;
  }

  #compiled(texts: readonly string[], source: string, decision: Decision) {
    const sources = texts.map(
      (rule) => ({ rule, decision, file: source, layer: "session", base: this.#base }) as const,
    );
    return compileRules(sources, this.#context);
  }

  /** Activates allow rules until the session ends. */
  remember(texts: readonly string[], source?: string): void {
    const known = new Set(this.#rules.filter(({ decision }) => decision === "allow").map(({ text }) => text));
    const fresh = [...new Set(texts)].filter((text) => !known.has(text));
    this.#rules = [...this.#rules, ...this.compile(fresh, source)];
  }

  /**
   * Activates rules temporarily. Allow rules that allow nothing are left out.
   * @param warn Gets one line for each rule that is left out.
   * @returns the function that stops this.
   * @throws {UserFacingError} (exit 2) a deny rule is invalid.
   */
  lease(
    texts: readonly string[],
    { decision, source, notify }: { decision: "allow" | "deny"; source: string; notify(line: string): void },
  ): () => void {
    const { rules: leased, warnings } = this.#compiled(texts, source, decision);
    for (const warning of warnings.filter((one) => !this.#notified.has(one))) {
      this.#notified.add(warning);
      notify(warning);
    }
    this.#rules = [...this.#rules, ...leased];
    for (const rule of leased) this.#leased.add(rule);
    return () => {
      for (const rule of leased) this.#leased.delete(rule);
      this.#rules = this.#rules.filter((rule) => !leased.includes(rule));
    };
  }

  /** Activates allow rules that were just written to the user's own file, as if they had been read from it. */
  keep(texts: readonly string[], file: string): void {
    const isKnown = (rule: string) =>
      this.#rules.some(({ decision, layer, text }) => decision === "allow" && layer === "own" && text === rule);
    const fresh = texts.filter((rule) => !isKnown(rule));
    const kept = fresh.map((rule) => ({ rule, decision: "allow", file, layer: "own", base: this.#base }) as const);
    const others = this.#rules.filter(
      ({ decision, layer, text }) => decision !== "allow" || layer !== "session" || !texts.includes(text),
    );
    this.#rules = [...others, ...compileRules(kept, this.#context).rules];
  }

  /** Activates the rules that a question could offer. @returns the others. */
  grant(texts: readonly string[], source: string): readonly string[] {
    const refused: string[] = [];
    for (const text of texts) {
      const [rule] = this.#offered(text, source);
      if (rule) this.remember([rule.text], source);
      else refused.push(text);
    }
    return refused;
  }

  /** Applies a change requested by a program. @returns the rules that were refused or not found. */
  change({ kind, decision, rules: texts }: RuleChange, source: string): readonly string[] {
    if (kind === "remove") return texts.filter((text) => !this.#remove(text, decision));
    // Rules that deny or ask must not give way to a list with a mistake.
    const isBroken = decision !== "allow" && texts.some((text) => this.readable(text, source, decision).length === 0);
    if (kind === "replace" && isBroken) return texts;
    if (kind === "replace")
      this.#rules = this.#rules.filter((rule) => rule.layer !== "session" || rule.decision !== decision);
    if (decision === "allow") return this.grant(texts, source);
    return texts.filter((text) => !this.#tighten(text, source, decision));
  }

  /** Any allow rule may be removed; of deny and ask rules, only those added in this session. */
  #remove(text: string, decision: Decision): boolean {
    const left = this.#rules.filter(
      (rule) => rule.text !== text || rule.decision !== decision || (decision !== "allow" && rule.layer !== "session"),
    );
    const isGone = left.length < this.#rules.length;
    if (isGone) this.#removed.add(keyOf({ text, decision }));
    this.#rules = left;
    return isGone;
  }

  #tighten(text: string, source: string, decision: Decision): boolean {
    const [rule] = this.readable(text, source, decision);
    if (!rule) return false;
    const isThere = this.#rules.some((one) => one.text === rule.text && one.decision === decision);
    if (!isThere) this.#rules = [...this.#rules, rule];
    return true;
  }

  #offered(text: string, source: string): readonly Rule[] {
    return this.readable(text, source, "allow").filter(({ tool, spec }) => whyNotOffered(tool, spec) === undefined);
  }

  /** Compiles the rule without activating it; empty if the text is not a rule. */
  readable(text: string, source: string, decision: Decision): readonly Rule[] {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a rule is one printable line.
    if (/[\u0000-\u001f\u007f]/.test(text)) return [];
    try {
      return this.compile([text], source, decision);
    } catch (error) {
      if (error instanceof UserFacingError) return [];
      throw error;
    }
  }

  /** Names of the tools that a bare deny rule removes. */
  hiddenTools(names: readonly string[]): ReadonlySet<string> {
    const bare = this.rules.filter(({ decision, spec }) => decision === "deny" && spec.kind === "any");
    const isHidden = (name: string) =>
      bare.some(
        (rule) =>
          namesTool(rule, name) ||
          (rule.tool === "Read" && READ_TOOLS.has(name)) ||
          (rule.tool === "Edit" && WRITE_TOOLS.has(name)),
      );
    return new Set(names.filter(isHidden));
  }

  /** Lists every rule, strictest first; ignored rules have the reason. */
  describe(mode: PermissionMode): readonly RuleDescription[] {
    const inForce = this.rules.map((rule) => describeRule(rule, mode === "auto" ? ignoredInAuto(rule) : undefined));
    const all = [...inForce, ...this.ignored.map(({ rule, why }) => describeRule(rule, why))];
    return STRICTEST_FIRST.flatMap((wanted) => all.filter(({ decision }) => decision === wanted));
  }
}

type Narrowing = {
  readonly tightening: readonly RuleSource[];
  readonly checkout: ChildCheckout | undefined;
  readonly context: RuleContext;
  readonly base: string;
};

/**
 * The rules of a child agent: its parent's rules, and additional rules that only tighten. Later rules belong to the
 * session, so they go to the parent.
 */
class NarrowedRuleBook extends RuleBook {
  readonly #parent: RuleBook;
  readonly #checkout: ChildCheckout | undefined;
  #joined: { readonly of: readonly Rule[]; readonly rules: readonly Rule[] } | undefined;

  constructor(parent: RuleBook, { tightening, checkout, context, base }: Narrowing) {
    super([...tightening, ...(checkout ? [closingRule(checkout)] : [])], context, base);
    this.#parent = parent;
    this.#checkout = checkout;
  }

  override get rules(): readonly Rule[] {
    const of = this.#parent.rules;
    if (this.#joined?.of !== of) this.#joined = { of, rules: this.#with(of) };
    return this.#joined.rules;
  }

  #with(ofParent: readonly Rule[]): readonly Rule[] {
    const all = [...ofParent, ...super.rules];
    return this.#checkout ? inCheckout(all, this.#checkout) : all;
  }

  override get ignored(): readonly IgnoredRule[] {
    return this.#parent.ignored;
  }

  override compile(texts: readonly string[], source?: string, decision?: Decision): readonly Rule[] {
    const rules = this.#parent.compile(texts, source, decision);
    return this.#checkout ? inCheckout(rules, this.#checkout) : rules;
  }

  override remember(texts: readonly string[], source?: string): void {
    this.#parent.remember(texts, source);
  }

  override lease(texts: readonly string[], how: Parameters<RuleBook["lease"]>[1]): () => void {
    return this.#parent.lease(texts, how);
  }

  override keep(texts: readonly string[], file: string): void {
    this.#parent.keep(texts, file);
  }

  override grant(texts: readonly string[], source: string): readonly string[] {
    return this.#parent.grant(texts, source);
  }

  override change(change: RuleChange, source: string): readonly string[] {
    return this.#parent.change(change, source);
  }
}

function keyOf({ text, decision }: Pick<Rule, "text" | "decision">): string {
  return `${decision} ${text}`;
}

/** The reason why mode auto ignores a rule; undefined if the rule takes effect. */
export function ignoredInAuto({ wide }: Rule): string | undefined {
  return wide === undefined ? undefined : `ignored in mode auto, where a judge decides: ${wide}`;
}

function describeRule({ decision, text, source, layer }: Rule, note: string | undefined): RuleDescription {
  return { decision, rule: text, source, layer, ...(note !== undefined && { note }) };
}
