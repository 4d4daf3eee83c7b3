import type { PermissionRequest, Verdict } from "../../../src/contracts/permission.ts";
import type { PermissionMode } from "../../../src/contracts/permission-mode.ts";
import type { SandboxState } from "../../../src/contracts/ports.ts";
import type { RuleSource, SandboxScope } from "../../../src/contracts/settings.ts";
import type { Subject } from "../../../src/contracts/subject.ts";
import type { Level, ToolCall } from "../../../src/contracts/tool.ts";
import { randomIds } from "../../../src/platform/clock.ts";
import { OpenQuestions } from "../../../src/protocol/open-questions.ts";
import { loadQuestionCode } from "../../../src/services/permission/call-authorizer.ts";
import type { ConsentDeps } from "../../../src/services/permission/confined-consent.ts";
import type { JudgedFolders } from "../../../src/services/permission/judge/judgement.ts";
import type {
  Deciders,
  JudgedAgent,
  PermissionNotices,
  PermissionSettings,
} from "../../../src/services/permission/permission-deps.ts";
import { createPermissionEngine } from "../../../src/services/permission/permission-engine.ts";
import { partsOf } from "../../support/question.ts";
import { execute, HOME, ROOT, sources } from "./support.ts";

// As in a session in which the model was awaited once: a question then appears at once.
await loadQuestionCode();

type Parts = PermissionSettings & JudgedAgent & JudgedFolders & Deciders & PermissionNotices;
type Change = Partial<Omit<Parts, "rules" | "questions" | "state">> & {
  readonly mode?: PermissionMode;
  readonly rules?: Parameters<typeof sources>[0];
  /** Rules that come from elsewhere than the user's settings. */
  readonly others?: readonly RuleSource[];
};

export const SANDBOX: SandboxState = { kind: "bubblewrap", strength: "full", hasNetwork: false };

/** A person may agree that confined commands need no question; `kept` holds what was written for it. */
export function consentDeps(change: Partial<ConsentDeps> = {}) {
  const kept: (SandboxScope | undefined)[] = [];
  const deps: ConsentDeps = {
    sources: { agreedBy: [] },
    limits: { writable: [ROOT], opened: [], hosts: [], sockets: [], closed: { read: [], write: [], hosts: [] } },
    home: HOME,
    answerer: "person",
    isManagedOnly: false,
    keep: async (scope) => {
      kept.push(scope);
    },
    ...change,
  };
  return { deps, kept };
}

/** The user's own settings say that confined commands need no question. */
export const AGREED: ConsentDeps = consentDeps({
  sources: { agreedBy: [{ layer: "user", file: "settings.json" }] },
}).deps;

/** A real engine and a real registry of questions; who answers, the sandbox's state, the guard and the judge are the test's. */
export function setUp({ rules = {}, others = [], mode = "default", ...change }: Change = {}) {
  const questions = new OpenQuestions(randomIds);
  const persisted: (readonly string[])[] = [];
  const warnings: string[] = [];
  let count = 0;
  const engine = createPermissionEngine({
    settings: {
      rules: [...sources(rules), ...others],
      isTrusted: true,
      checkBypass: () => undefined,
      persist: async (texts) => {
        persisted.push(texts);
        return "/config/projects/own.json";
      },
      ...change,
    },
    agent: { state: { mode }, ...change },
    folders: {
      workspace: { roots: [ROOT], isBroad: false, projectRoot: ROOT },
      home: HOME,
      freeReadRoots: [],
      ownFolders: [`${HOME}/.config/quoll`],
      ...change,
    },
    deciders: { questions, canAsk: true, ids: { next: () => `q${++count}` }, ...change },
    notices: { notify: (message) => warnings.push(message), ...change },
  });
  let uses = 0;
  const request = (toolName: string, level: Level, ...subjects: Subject[]): PermissionRequest => ({
    toolUseId: `use${++uses}`,
    toolName,
    call: callOf(level, subjects),
  });
  const bash = (command: string, parts?: Parameters<typeof execute>[1]) =>
    request("Bash", "execute", execute(command, parts));
  const judge = (one: PermissionRequest, signal = new AbortController().signal) => engine.authorize(one, signal);
  /** Waits until a question stands, or says that the verdict came without one. */
  const asked = async (verdict: Promise<Verdict>) => {
    const question = Promise.withResolvers<void>();
    const leave = questions.subscribe(() => question.resolve());
    if (questions.pending.length > 0) question.resolve();
    await Promise.race([verdict, question.promise]);
    leave();
    return questions.pending.map(partsOf)[0];
  };
  /** The verdict, each question on the way answered with yes, and how many there were. */
  const agreed = async (one: PermissionRequest) => {
    let timesAsked = 0;
    const leave = questions.subscribe(() => {
      const [question] = questions.pending;
      if (!question) return;
      timesAsked += 1;
      questions.reply(question.id, { decision: "once" });
    });
    const verdict = await judge(one);
    leave();
    return { verdict, timesAsked };
  };
  return { engine, questions, persisted, warnings, request, bash, judge, asked, agreed };
}

export function callOf(level: Level, subjects: readonly Subject[], more: Partial<ToolCall> = {}): ToolCall {
  return {
    input: {},
    level,
    subjects,
    concurrencySafe: false,
    title: "a title",
    corrections: [],
    run: () => Promise.reject(new Error("never run here")),
    ...more,
  };
}

/** A request with something more about its call. */
export function with_(request: PermissionRequest, more: Partial<ToolCall>): PermissionRequest {
  return { ...request, call: { ...request.call, ...more } };
}

/** A verdict in a few words: `allow/sandbox`, `deny`, `deny/unanswered`. */
export function short(verdict: Verdict): string {
  if (verdict.decision === "allow") return `allow/${verdict.grant.confinement}`;
  return verdict.unanswered ? "deny/unanswered" : "deny";
}
