import { join, relative } from "node:path";
import type {
  Authorize,
  CallToMatch,
  ConsentStatus,
  PathRule,
  PermissionRequest,
  RuleChange,
  RuleDescription,
  Verdict,
} from "../../contracts/permission.ts";
import type { PermissionMode } from "../../contracts/permission-mode.ts";
import type { RuleSource } from "../../contracts/settings.ts";
import { isInside, realPathOrSelf } from "../../platform/paths.ts";
import { AgentTree, scopeRules } from "./agent-tree.ts";
import { assertAutoMode, JudgeRefusals } from "./auto-mode.ts";
import { CallAuthorizer } from "./call-authorizer.ts";
import { ConfinedConsent } from "./confined-consent.ts";
import type { Explanation } from "./explanation.ts";
import { type CallAssessment, CallAssessor } from "./judge/call-assessor.ts";
import { evaluate } from "./judge/evaluate.ts";
import { type CallFacts, factsOf, type JudgedFolders, type Situation } from "./judge/judgement.ts";
import { isSecret } from "./judge/secrets.ts";
import type {
  ChildCheckout,
  LeasedRules,
  NarrowedPermissions,
  PermissionDeps,
  PermissionHooks,
  PermissionScope,
  PermissionService,
} from "./permission-deps.ts";
import { matchesCondition } from "./rules/condition-rule.ts";
import { isWithin } from "./rules/fold-path.ts";
import { isKeptBack, pathRulesOf } from "./rules/path-rules.ts";
import type { Rule } from "./rules/rule.ts";
import { RuleBook } from "./rules/rule-book.ts";

const NOT_ASSESSED: CallAssessment = { confining: undefined, hazardAssessment: undefined };

/**
 * Creates the engine that judges every tool call.
 * @throws {UserFacingError} (exit 2) a rule is invalid, or the mode is forbidden.
 */
export function createPermissionEngine(deps: PermissionDeps): PermissionService {
  return new RuleEngine(deps);
}

class RuleEngine implements NarrowedPermissions {
  readonly #deps: PermissionDeps;
  readonly #book: RuleBook;
  readonly #assessor: CallAssessor;
  readonly #refusals: JudgeRefusals;
  readonly #consent: ConfinedConsent;
  readonly #tree: AgentTree;
  readonly #authorizer: CallAuthorizer;
  /** As the observers of the session see it. */
  readonly #authorize: Authorize;
  #paths: { readonly of: readonly Rule[]; readonly rules: readonly PathRule[] } | undefined;

  constructor(deps: PermissionDeps, parent?: RuleEngine, scope?: PermissionScope) {
    this.#deps = deps;
    // If a child agent had a separate counter, the judge could decide again after too many refusals.
    this.#refusals = parent ? parent.#refusals : new JudgeRefusals();
    const { settings, agent, folders, deciders, notices } = deps;
    const { workspace, home, isCaseInsensitive = false } = folders;
    const { isTrusted, managedRulesOnly = false } = settings;
    const paths = { roots: workspace.roots, home, realPath: realPathOrSelf, isCaseInsensitive };
    const context = { ...paths, isTrusted, managedRulesOnly };
    this.#book = parent
      ? parent.#book.narrow(scopeRules(scope ?? {}, workspace.projectRoot), scope?.checkout)
      : new RuleBook(settings.rules, context, workspace.projectRoot);
    for (const warning of this.#book.warnings) notices.notify(warning);
    this.#assessor = new CallAssessor(folders, settings.sandboxPolicy, parent ? parent.#assessor : undefined);
    this.#consent = parent ? parent.#consent : new ConfinedConsent(deciders.consent, () => this.pathRules());
    this.#authorizer = new CallAuthorizer({
      deps,
      engine: this,
      book: this.#book,
      consent: this.#consent,
      assessor: this.#assessor,
      refusals: this.#refusals,
      situation: (assessment) => this.#situation(assessment),
      changed: () => this.#settleWaiting(),
    });
    const authorize: Authorize = (request, signal) => this.#authorizer.authorize(request, signal);
    this.#authorize = deciders.watchDecisions?.(authorize) ?? authorize;
    const member = {
      ownMode: () => agent.state.mode,
      ownPathRules: () => this.#ownPathRules(),
      settleWaiting: () => this.#authorizer.settleWaiting(),
    };
    this.#tree = new AgentTree(member, parent ? parent.#tree : undefined);
    if (!parent) this.#assertAllowed(agent.state.mode);
  }

  get mode(): PermissionMode {
    return this.#tree.modes[0];
  }

  /** @throws {UserFacingError} the mode is forbidden; the current mode stays. */
  set mode(mode: PermissionMode) {
    const { state } = this.#deps.agent;
    if (this.#tree.isRoot && (mode !== "auto" || state.mode !== "auto")) this.#assertAllowed(mode);
    state.mode = mode;
    this.#settleWaiting();
  }

  /** @throws {UserFacingError} (exit 2) the mode is forbidden. */
  #assertAllowed(mode: PermissionMode): void {
    if (mode === "bypassPermissions") this.#deps.settings.checkBypass();
    if (mode === "auto") assertAutoMode(this.#deps, this.#book.rules);
  }

  authorize(request: PermissionRequest, signal: AbortSignal): Promise<Verdict> {
    return this.#authorize(request, signal);
  }

  narrow(scope: PermissionScope): NarrowedPermissions {
    const child = new RuleEngine(narrowedDeps(this.#deps, scope), this, scope);
    child.#tree.open(scope.checkout !== undefined);
    return child;
  }

  close(): void {
    this.#tree.close();
  }

  hiddenTools(names: readonly string[]): ReadonlySet<string> {
    return this.#book.hiddenTools(names);
  }

  describe(): readonly RuleDescription[] {
    return this.#book.describe(this.mode);
  }

  matches(text: string, call: CallToMatch): boolean {
    return matchesCondition(text, call, this.#book);
  }

  isHidden(path: string): boolean {
    if (isWithin(path, this.#deps.folders.closedFolders ?? [], true) || isKeptBack(path, this.#book.rules)) return true;
    if (!isSecret(path)) return false;
    return !this.mayRead(path);
  }

  mayRead(path: string): boolean {
    const call: CallFacts = { toolName: "Read", level: "read", subjects: [{ action: "read", path }] };
    return evaluate(call, this.#situation(NOT_ASSESSED)).decision === "allow";
  }

  namesHost(host: string): boolean {
    const isNaming = ({ decision, tool, spec }: Rule) =>
      decision === "allow" && tool === "WebFetch" && spec.kind === "domain" && spec.host === host.toLowerCase();
    return this.#book.rules.some(isNaming);
  }

  pathRules(): readonly PathRule[] {
    return this.#tree.pathRules();
  }

  #ownPathRules(): readonly PathRule[] {
    const { rules } = this.#book;
    if (this.#paths?.of !== rules)
      this.#paths = { of: rules, rules: pathRulesOf(rules, this.#deps.folders.workspace.roots) };
    return this.#paths.rules;
  }

  grantRules(texts: readonly string[], source: string): readonly string[] {
    const refused = this.#book.grant(texts, source);
    this.#settleWaiting();
    return refused;
  }

  changeRules(change: RuleChange, source: string): readonly string[] {
    const refused = this.#book.change(change, source);
    this.#settleWaiting();
    return refused;
  }

  leaseRules({ allow, deny }: LeasedRules, source: string): () => void {
    const notify = (line: string) => this.#deps.notices.notify(line);
    const ends = [
      this.#book.lease(deny, { decision: "deny", source, notify }),
      this.#book.lease(allow, { decision: "allow", source, notify }),
    ];
    this.#settleWaiting();
    return () => {
      for (const end of ends) end();
    };
  }

  reloadRules(rules: readonly RuleSource[], managedRulesOnly: boolean): void {
    for (const warning of this.#book.reload(rules, managedRulesOnly)) this.#deps.notices.notify(warning);
    this.#settleWaiting();
  }

  hookAnswer(request: PermissionRequest, signal: AbortSignal): ReturnType<PermissionHooks["request"]> {
    return this.#deps.deciders.hooks?.request(request, signal);
  }

  consent(): ConsentStatus {
    return this.#consent.status();
  }

  async revokeConsent(): Promise<readonly string[]> {
    return this.#consent.revoke();
  }

  async explain(request: PermissionRequest, signal: AbortSignal = new AbortController().signal): Promise<Explanation> {
    const facts = factsOf(request);
    const assessment = await this.#assessor.assess(facts, () => "ask", signal);
    const { home, workspace, placeInProject } = this.#deps.folders;
    const { explainCall } = await import("./explain-call.ts");
    return explainCall({
      call: facts,
      title: request.call.title,
      situation: this.#situation(assessment),
      hazardAssessment: assessment.hazardAssessment,
      awaitingTrust: this.#book.awaitingTrust,
      mayAgree: this.#consent.isPossible,
      compile: (texts) => this.#book.compile(texts),
      suggestions: { ...workspace, placeInProject, toolName: facts.toolName, home, lasts: "always", namesAny: true },
    });
  }

  #situation({ confining: found, hazardAssessment }: CallAssessment): Situation {
    const confining = found && { ...found, isAgreed: this.#consent.holds(found.state) };
    const [mode, ...otherModes] = this.#tree.modes;
    const { rules } = this.#book;
    const { agent, folders } = this.#deps;
    return { mode, otherModes, rules, folders, notes: agent.notes, confining, backup: hazardAssessment?.found };
  }

  /** Settles pending questions that the new rules or the new mode answer. */
  #settleWaiting(): void {
    this.#tree.settleAll();
  }
}

/** The parts for the engine of a child agent: all that the engines of a session share, and its own agent and folders. */
function narrowedDeps(
  deps: PermissionDeps,
  { agent: source, state, notes, checkout }: PermissionScope,
): PermissionDeps {
  const { settings, deciders, notices } = deps;
  const agent = { source, state, notes: notes && (() => notes) };
  const folders = checkout ? foldersOfCheckout(deps.folders, checkout) : deps.folders;
  return { settings, agent, folders, deciders, notices };
}

/** All keys must be named, so that no protection is left out; an absent one is undefined. */
type Complete<Parts> = { readonly [Key in keyof Required<Parts>]: Parts[Key] };

/**
 * In a separate checkout, only this checkout and the parent's folders outside the replaced checkout are the agent's
 * workspace; the replaced checkout is read-only.
 */
function foldersOfCheckout(parent: JudgedFolders, checkout: ChildCheckout): Complete<JudgedFolders> {
  const { home, workspace, isCaseInsensitive, freeReadRoots, ownFolders, closedFolders, workFolders = [] } = parent;
  const { from, to, roots, gitFolders, sandbox, guard } = checkout;
  return {
    home,
    isCaseInsensitive,
    freeReadRoots,
    closedFolders,
    sandbox,
    guard,
    // Rules that answers add are written for the parent's project.
    workspace: { roots, isBroad: workspace.isBroad, projectRoot: workspace.projectRoot },
    // A checkout can replace a checkout that itself replaces the project's.
    placeInProject: (path) => {
      const there = isInside(to, path) ? join(from, relative(to, path)) : path;
      return parent.placeInProject ? parent.placeInProject(there) : there;
    },
    readOnlyRoots: workspace.roots,
    ownFolders: [...ownFolders, ...gitFolders],
    workFolders: [...workFolders, to],
  };
}
