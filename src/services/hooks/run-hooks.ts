import { afterSleep } from "../../contracts/after-sleep.ts";
import type { HookCommon, HookEvent, HookInput, HookOutcome, Hooks } from "../../contracts/hook.ts";
import { isToolEvent } from "../../contracts/hook-events.ts";
import type { JsonObject } from "../../contracts/message.ts";
import type { PermissionUpdate } from "../../contracts/permission-update.ts";
import type { Clock } from "../../contracts/ports.ts";
import { mergeOutcomes } from "./combine-hooks.ts";
import { failedHook } from "./failed-hook.ts";
import { idleFields, readHookAnswer } from "./hook-answer.ts";
import { matchedName, protocolEvent, protocolInput } from "./hook-input.ts";
import { hookMatches } from "./hook-matcher.ts";
import { HookTime } from "./hook-time.ts";
import { isAnswer } from "./refusal.ts";

/** The default time limit of a hook, and of hooks of events for which a person waits. */
const HOOK_MS = 600_000;
const EVENT_MS: Partial<Record<HookEvent, number>> = { UserPromptSubmit: 30_000, MessageDisplay: 10_000 };

/** A registered hook of any kind: a callback of a program, or a hook of a settings file. */
export type RegisteredHook = {
  /** The key of the hook: a hook that is registered twice for one event is called once. */
  readonly id: string;
  /** The name of an event in `CONFIGURABLE_EVENTS`. */
  readonly event: string;
  readonly matcher?: string | undefined;
  /** The hook in a sentence, for messages. */
  readonly name?: string;
  /** The hook, with its event and file, for lists of refusals. */
  readonly signature?: string;
  /** The hook runs only for calls that this permission rule matches. */
  readonly condition?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly blocksOnFailure?: boolean;
  /** The hook may tighten permissions, but not widen them. */
  readonly onlyTightens?: boolean;
  /** A line for the person while the hook runs. */
  readonly statusMessage?: string | undefined;
  /** The hook runs only the first time. */
  readonly isOnce?: boolean | undefined;
  /** True if the hook runs in the background; `late` receives its answer. */
  readonly isBackground?: boolean;
  /** Answers in place of a hook that must not run now; undefined if it may run. It has no time limit. */
  check?(signal: AbortSignal): Promise<JsonObject | undefined>;
  /**
   * Rejects when the hook fails, and with the abort reason when `signal` aborts. A hook that will answer later calls
   * `leave`, with its time limit in milliseconds: nobody waits for it any more.
   */
  run(input: JsonObject, signal: AbortSignal, leave?: (limitMs: number | undefined) => void): Promise<JsonObject>;
};

/** The end of one run of a hook, for lists. */
export type HookRun = {
  readonly id: string;
  readonly event: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly durationMs: number;
  readonly outcome: HookOutcome;
  readonly end: "answered" | "failed" | "interrupted";
};

export type RunnerOptions = {
  /** Called at the end of each run. */
  ran?(run: HookRun): void;
  /** Receives the answer of a hook for which nobody waited. */
  late?(outcome: HookOutcome): void;
  /** Receives the status line of a slow hook; undefined when the hook has ended. */
  showStatus?(text: string | undefined): void;
};

/**
 * Runs registered hooks: the hooks of one event run in parallel, each within its time limit. The hooks' answers are
 * merged in the order of registration.
 */
export class HookRunner implements Hooks {
  readonly #clock: Clock;
  readonly #options: RunnerOptions;
  readonly #status: HookStatus;
  #hooks: readonly RegisteredHook[] = [];
  /** Fields of answers that were already reported to have no effect. */
  readonly #notified = new Set<string>();
  readonly #spent = new WeakSet<RegisteredHook>();
  readonly #background = new AbortController();

  constructor(clock: Clock, options: RunnerOptions = {}) {
    this.#clock = clock;
    this.#options = options;
    this.#status = new HookStatus(clock, (text) => options.showStatus?.(text));
  }

  /** Replaces the registered hooks. */
  register(hooks: readonly RegisteredHook[]): void {
    this.#hooks = hooks;
  }

  /** Ends the hooks in the background. */
  close(): void {
    this.#background.abort(new Error("The session has ended."));
  }

  wants(event: HookEvent, toolName?: string): boolean {
    const events = event === "PostToolUse" ? ["PostToolUse", "PostToolUseFailure"] : [event];
    return events.some((one) => this.#matching(one, toolName).length > 0);
  }

  async run(input: HookInput & HookCommon, signal: AbortSignal): Promise<HookOutcome> {
    const fields = protocolInput(input);
    const matches = "matches" in input ? input.matches : undefined;
    const hooks = this.#matching(protocolEvent(input), matchedName(input)).filter(
      ({ condition }) => condition === undefined || (matches?.(condition) ?? true),
    );
    for (const hook of hooks) if (hook.isOnce) this.#spent.add(hook);
    return mergeOutcomes(await Promise.all(hooks.map((hook) => this.#start(hook, input, fields, signal))));
  }

  #matching(event: string, name: string | undefined): readonly RegisteredHook[] {
    const found = new Map<string, RegisteredHook>();
    for (const hook of this.#hooks) {
      const isMatch =
        hook.event === event && !this.#spent.has(hook) && hookMatches(hook.matcher, name, isToolEvent(event));
      if (isMatch && !found.has(hook.id)) found.set(hook.id, hook);
    }
    return [...found.values()];
  }

  async #start(hook: RegisteredHook, input: HookInput, fields: JsonObject, signal: AbortSignal): Promise<HookOutcome> {
    const { late } = this.#options;
    const background = this.#background.signal;
    if (hook.isBackground) {
      this.#call(hook, input, fields, { time: new HookTime(this.#clock, background) }).then(late, () => undefined);
      return {};
    }
    const ended = hook.statusMessage === undefined ? undefined : this.#status.start(hook.statusMessage);
    const time = new HookTime(this.#clock, signal);
    const { promise: left, resolve } = Promise.withResolvers<HookOutcome>();
    const leave = (limitMs: number | undefined) => {
      time.moveTo(background);
      time.limit(limitMs ?? hook.timeoutMs ?? HOOK_MS);
      // The event goes on, so a failure can't block it any more.
      call.then(
        ({ block: _, ...outcome }) => late?.(outcome),
        () => undefined,
      );
      resolve({});
    };
    const call = this.#call(hook, input, fields, { time, leave });
    return Promise.race([call, left]).finally(ended);
  }

  async #call(
    hook: RegisteredHook,
    input: HookInput,
    fields: JsonObject,
    { time, leave }: { readonly time: HookTime; readonly leave?: (limitMs: number | undefined) => void },
  ): Promise<HookOutcome> {
    const { event } = input;
    const at = this.#clock.now();
    const startedMs = this.#clock.monotonicMs();
    const ended = (outcome: HookOutcome, end: HookRun["end"]) => {
      const durationMs = this.#clock.monotonicMs() - startedMs;
      this.#options.ran?.({ id: hook.id, event: protocolEvent(input), at, durationMs, outcome, end });
      return outcome;
    };
    const run = () => {
      time.limit(hook.timeoutMs ?? EVENT_MS[event] ?? HOOK_MS);
      return hook.run(fields, time.signal, leave);
    };
    try {
      const refused = hook.check && (await hook.check(time.signal));
      if (refused) this.#spent.delete(hook);
      const answer = refused ?? (await run());
      const unknown = unknownFields(answer);
      if (unknown.length > 0 && hook.blocksOnFailure)
        throw new Error(`its answer has no field that Quoll knows, only ${unknown.join(", ")}`);
      const outcome = withinRights(
        readHookAnswer(event, answer, "toolName" in input ? input.toolName : undefined),
        hook,
      );
      const idle = [...idleFields(answer), ...unknown];
      return ended(this.#withRemark(signed(outcome, hook.signature), event, idle), "answered");
    } catch (error) {
      const { name, signature, blocksOnFailure: blocks = false } = hook;
      const { owner } = time;
      if (owner.aborted) ended({}, "interrupted");
      const outcome = failedHook({ event, error, name, signature, blocks }, owner);
      return owner.aborted ? outcome : ended(outcome, "failed");
    } finally {
      time.end();
    }
  }

  /** Reports once for each field that it has no effect. */
  #withRemark(outcome: HookOutcome, event: HookEvent, idle: readonly string[]): HookOutcome {
    const fresh = idle.filter((name) => !this.#notified.has(name));
    if (fresh.length === 0) return outcome;
    for (const name of fresh) this.#notified.add(name);
    const remark = `A hook for ${event} answered with ${fresh.join(", ")}, which has no effect here.`;
    const { systemMessage } = outcome;
    return { ...outcome, systemMessage: systemMessage === undefined ? remark : `${systemMessage}\n${remark}` };
  }
}

/**
 * The fields of an object that is no answer at all; empty for an answer, and for the input, which some hooks print as
 * they pass it on.
 */
function unknownFields(answer: JsonObject): readonly string[] {
  return isAnswer(answer) || Object.hasOwn(answer, "hook_event_name") ? [] : Object.keys(answer);
}

/** Names the hook in its refusal. */
function signed({ block, permission, answer, ...rest }: HookOutcome, signature: string | undefined): HookOutcome {
  const by = signature === undefined ? {} : { by: signature };
  return {
    ...rest,
    ...(block && { block: { ...block, ...by } }),
    ...(permission && { permission: { ...permission, ...by } }),
    ...(answer && { answer: answer.behavior === "deny" ? { ...answer, ...by } : answer }),
  };
}

type Rights = { readonly onlyTightens?: boolean; readonly name?: string };

/**
 * Removes the permission changes that a hook may not make: the approval of a project or plugin shows a hook's command, not
 * the permissions that it would give, so such a hook only adds deny and ask rules.
 */
function withinRights(outcome: HookOutcome, { onlyTightens = false, name = "A hook" }: Rights): HookOutcome {
  const { answer, systemMessage } = outcome;
  if (!onlyTightens || answer?.behavior !== "allow" || !answer.updates) return outcome;
  const { updates, ...rest } = answer;
  const kept = updates.filter(tightens);
  if (kept.length === updates.length) return outcome;
  const line = `${name} may not widen permissions; only hooks of your own settings may. Its change was ignored.`;
  return {
    ...outcome,
    answer: { ...rest, ...(kept.length > 0 && { updates: kept }) },
    systemMessage: systemMessage === undefined ? line : `${systemMessage}\n${line}`,
  };
}

function tightens(update: PermissionUpdate): boolean {
  if (update.kind === "rules") return update.change.kind === "add" && update.change.decision !== "allow";
  return update.kind === "unknown";
}

/** The time after which the text of a running hook is shown. */
const SHOWN_AFTER_MS = 300;

/** The texts of running hooks (`statusMessage`), of which the person sees the oldest. */
export class HookStatus {
  readonly #clock: Pick<Clock, "sleep">;
  readonly #show: (text: string | undefined) => void;
  #running: readonly { readonly text: string }[] = [];

  /** @param show Receives the text to show; undefined to show no text. */
  constructor(clock: Pick<Clock, "sleep">, show: (text: string | undefined) => void) {
    this.#clock = clock;
    this.#show = show;
  }

  /** A hook has started. @returns the function to call at its end. */
  start(text: string): () => void {
    const entry = { text };
    const over = new AbortController();
    afterSleep(this.#clock.sleep(SHOWN_AFTER_MS, over.signal), () => this.#change([...this.#running, entry]));
    return () => {
      over.abort(new Error("The hook has ended."));
      if (this.#running.includes(entry)) this.#change(this.#running.filter((one) => one !== entry));
    };
  }

  #change(running: readonly { readonly text: string }[]): void {
    const before = this.#running[0]?.text;
    this.#running = running;
    if (running[0]?.text !== before) this.#show(running[0]?.text);
  }
}
