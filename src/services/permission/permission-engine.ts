import { errorMessage } from "../../contracts/errors.ts";
import type {
  Decision,
  PermissionEngine,
  PermissionMode,
  PermissionRequest,
  Question,
  Reply,
  RuleDescription,
  Verdict,
} from "../../contracts/permission.ts";
import type { Ids, Workspace } from "../../contracts/ports.ts";
import type { RuleSource } from "../../contracts/settings.ts";
import { makeGrant, type Subject } from "../../contracts/subject.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import type { PermissionBroker } from "./broker.ts";
import { DenialCounter } from "./denial-counter.ts";
import { type CallFacts, type Evaluation, evaluate, type Situation } from "./evaluate.ts";
import { decisive, describeDecision, refusalMessage, rejectionMessage, unansweredMessage } from "./explain.ts";
import { tightensMatch } from "./match-rule.ts";
import { compileRules, namesTool, READ_TOOLS, type Rule, type RuleContext, WRITE_TOOLS } from "./rule.ts";
import { isSecret } from "./secrets.ts";
import { suggestRules } from "./suggest.ts";

export type PermissionDeps = {
  readonly rules: readonly RuleSource[];
  readonly mode: PermissionMode;
  readonly workspace: Pick<Workspace, "roots" | "isBroad" | "projectRoot">;
  /** Absolute, symlinks resolved. */
  readonly home: string;
  /** Folders in which reads are free (the session's artefacts); absolute, symlinks resolved. */
  readonly freeReadRoots: readonly string[];
  /** Our own folders, and git folders outside of the project: writes there are always asked for. */
  readonly ownFolders: readonly string[];
  readonly broker: PermissionBroker;
  /** False when nobody can answer: then what would be asked is refused. */
  readonly canAsk: boolean;
  readonly ids: Ids;
  /** Throws when bypassPermissions may not be used. */
  checkBypass(): void;
  /** Writes rules to the user's own file for this project. */
  persist(rules: readonly string[]): Promise<void>;
  /** Tells the person one line. */
  warn(message: string): void;
};

/** The engine, and what searches ask it. */
export interface PermissionService extends PermissionEngine {
  /** True for a file whose text no search may show: a rule denies or asks for reading it, or it may hold secrets. */
  isHidden(path: string): boolean;
}

/**
 * Makes the engine that judges every call.
 * @throws {UserFacingError} (exit 2) a rule is broken, or the mode may not be used.
 */
export function createPermissionEngine(deps: PermissionDeps): PermissionService {
  return new RuleEngine(deps);
}

/** How a question was settled when no person did it: the rules or the mode changed meanwhile. */
type Recheck = { readonly call: CallFacts; by?: string };

class RuleEngine implements PermissionService {
  readonly #deps: PermissionDeps;
  readonly #context: RuleContext;
  readonly #denials = new DenialCounter();
  readonly #waiting = new Map<string, Recheck>();
  #mode: PermissionMode;
  #rules: readonly Rule[];

  constructor(deps: PermissionDeps) {
    this.#deps = deps;
    this.#context = { roots: deps.workspace.roots, home: deps.home, realPath: realPathOrSelf };
    if (deps.mode === "bypassPermissions") deps.checkBypass();
    this.#mode = deps.mode;
    const { rules, warnings } = compileRules(deps.rules, this.#context);
    this.#rules = rules;
    for (const warning of warnings) deps.warn(warning);
  }

  get mode(): PermissionMode {
    return this.#mode;
  }

  /** @throws {UserFacingError} the mode may not be used; nothing changes. */
  set mode(mode: PermissionMode) {
    if (mode === "bypassPermissions") this.#deps.checkBypass();
    this.#mode = mode;
    this.#settleWaiting();
  }

  async authorize(request: PermissionRequest, signal: AbortSignal): Promise<Verdict> {
    const { toolUseId, toolName, call } = request;
    const facts: CallFacts = { toolName, level: call.level, subjects: call.subjects };
    const evaluation = evaluate(facts, this.#situation());
    switch (evaluation.decision) {
      case "allow":
        return this.#allow(request, describeDecision(evaluation));
      case "deny":
        return this.#deny(toolName, describeDecision(evaluation), refusalMessage(evaluation, toolName));
      case "ask":
        break;
    }
    if (!this.#deps.canAsk) {
      const message = unansweredMessage(evaluation, this.#suggestions(facts, evaluation, true));
      return this.#deny(toolName, describeDecision(evaluation), message, true);
    }
    const question = this.#question(request, evaluation, this.#suggestions(facts, evaluation));
    const recheck: Recheck = { call: facts };
    this.#waiting.set(question.id, recheck);
    const reply = await this.#deps.broker.ask(question, signal).finally(() => this.#waiting.delete(question.id));
    if (recheck.by !== undefined) return this.#allow({ toolUseId, toolName }, recheck.by);
    return this.#answered(request, question, reply);
  }

  hiddenTools(names: readonly string[]): ReadonlySet<string> {
    const bare = this.#rules.filter(({ decision, spec }) => decision === "deny" && spec.kind === "any");
    const isHidden = (name: string) =>
      bare.some(
        (rule) =>
          namesTool(rule, name) ||
          (rule.tool === "Read" && READ_TOOLS.has(name)) ||
          (rule.tool === "Edit" && WRITE_TOOLS.has(name)),
      );
    return new Set(names.filter(isHidden));
  }

  describe(): readonly RuleDescription[] {
    const order: readonly Decision[] = ["deny", "ask", "allow"];
    return order.flatMap((wanted) =>
      this.#rules
        .filter(({ decision }) => decision === wanted)
        .map(({ decision, text, source }) => ({ decision, rule: text, source })),
    );
  }

  isHidden(path: string): boolean {
    const subject: Subject = { action: "read", path };
    const isTightened = (toolName: string) =>
      this.#rules.some((rule) => rule.decision !== "allow" && tightensMatch(rule, { toolName, subject }));
    if ([...READ_TOOLS].some(isTightened)) return true;
    if (!isSecret(path)) return false;
    return evaluate({ toolName: "Read", level: "read", subjects: [subject] }, this.#situation()).decision !== "allow";
  }

  #situation(rules = this.#rules): Situation {
    const { workspace, freeReadRoots, ownFolders } = this.#deps;
    const { roots, isBroad } = workspace;
    return { mode: this.#mode, rules, roots, isBroad, freeReadRoots, ownFolders };
  }

  /** Only rules that would really have allowed the call are offered. */
  #suggestions(call: CallFacts, evaluation: Evaluation, namesAny = false): readonly string[] {
    const { home, workspace } = this.#deps;
    const { projectRoot } = workspace;
    const texts = suggestRules(evaluation, { toolName: call.toolName, projectRoot, home, namesAny });
    if (texts.length === 0) return [];
    const added = this.#compile(texts);
    return evaluate(call, this.#situation([...this.#rules, ...added])).decision === "allow" ? texts : [];
  }

  #compile(texts: readonly string[]): readonly Rule[] {
    const base = this.#deps.workspace.projectRoot;
    const sources = texts.map(
      (rule) => ({ rule, decision: "allow", file: "this session", layer: "session", base }) as const,
    );
    return compileRules(sources, this.#context).rules;
  }

  #question({ toolUseId, toolName, call }: PermissionRequest, evaluation: Evaluation, suggestions: readonly string[]) {
    const asked = decisive(evaluation.judgements, "ask");
    const hazards = call.subjects.flatMap((subject) => (subject.action === "execute" ? subject.hazards : []));
    const question: Question = {
      id: this.#deps.ids.next(),
      kind: "permission",
      toolUseId,
      toolName,
      title: titleOf(toolName, asked[0]?.subject),
      preview: call.preview ?? { kind: "text", text: call.title },
      reason: describeDecision(evaluation),
      hazards: [...new Set(hazards.map(({ text }) => text))],
      suggestions,
      sessionRules: suggestions,
    };
    return question;
  }

  async #answered(request: PermissionRequest, question: Question, reply: Reply): Promise<Verdict> {
    if (reply.decision === "reject") {
      return this.#deny(request.toolName, "the user's answer", rejectionMessage(reply.message));
    }
    if (reply.decision !== "once" && question.suggestions.length > 0) {
      if (reply.decision === "always") await this.#persist(question.suggestions);
      else this.#remember(question.suggestions);
    }
    return this.#allow(request, `the user's answer (${reply.decision})`);
  }

  async #persist(rules: readonly string[]): Promise<void> {
    try {
      await this.#deps.persist(rules);
      this.#remember(rules);
    } catch (error) {
      this.#deps.warn(`${errorMessage(error)} It was allowed this once.`);
    }
  }

  #remember(texts: readonly string[]): void {
    const known = new Set(this.#rules.filter(({ decision }) => decision === "allow").map(({ text }) => text));
    this.#rules = [...this.#rules, ...this.#compile(texts.filter((text) => !known.has(text)))];
    this.#settleWaiting();
  }

  /** Questions that the new rules or the new mode answer are not asked any longer. */
  #settleWaiting(): void {
    for (const [id, recheck] of [...this.#waiting]) {
      const evaluation = evaluate(recheck.call, this.#situation());
      if (evaluation.decision !== "allow") continue;
      recheck.by = describeDecision(evaluation);
      if (!this.#deps.broker.reply(id, { decision: "once" })) delete recheck.by;
    }
  }

  #allow({ toolUseId, toolName }: Pick<PermissionRequest, "toolUseId" | "toolName">, by: string): Verdict {
    this.#denials.allowed(toolName);
    return { decision: "allow", grant: makeGrant({ toolUseId, confinement: "none", by, notes: [] }) };
  }

  #deny(toolName: string, by: string, message: string, unanswered = false): Verdict {
    return { decision: "deny", by, message: `${message}${this.#denials.denied(toolName)}`, unanswered };
  }
}

function titleOf(toolName: string, subject: Subject | undefined): string {
  switch (subject?.action) {
    case "read":
      return "Read this?";
    case "write":
      return "Change this file?";
    case "execute":
      return "Run this command?";
    case "network":
      return `Connect to ${subject.host}?`;
    default:
      return `Let ${toolName} run?`;
  }
}
