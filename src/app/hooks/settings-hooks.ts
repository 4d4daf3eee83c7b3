import { join } from "node:path";
import type { Approvable } from "../../contracts/approval.ts";
import { callContext } from "../../contracts/call-context.ts";
import { decidedByText } from "../../contracts/decided-by.ts";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import { errorMessage } from "../../contracts/errors.ts";
import { type HookOutcome, hookCallId } from "../../contracts/hook.ts";
import type { HookKind } from "../../contracts/hook-settings.ts";
import { type JsonObject, textOf } from "../../contracts/message.ts";
import { childEnvironment } from "../../platform/processes/child-environment.ts";
import { findShell } from "../../platform/processes/shell-program.ts";
import { createUserPath } from "../../platform/processes/user-path.ts";
import { type CommandPorts, runCommandHook } from "../../services/hooks/command-hook.ts";
import { runHttpHook } from "../../services/hooks/http-hook.ts";
import { runPromptHook } from "../../services/hooks/prompt-hook.ts";
import { readVariables } from "../../services/hooks/read-variables.ts";
import {
  type CheckHook,
  type HookChecks,
  hookRemarks,
  isBackground,
  type RunKind,
  registeredHook,
} from "../../services/hooks/registered-hook.ts";
import { type HookRun, HookRunner } from "../../services/hooks/run-hooks.ts";
import { type CallServerTool, runToolHook } from "../../services/hooks/tool-hook.ts";
import { conditionRule } from "../../services/permission/rules/condition-rule.ts";
import { KNOWN_TOOLS, unknownTool } from "../../services/permission/rules/known-tools.ts";
import type { HookParts, HookSession } from "./hook-parts.ts";
import { hookProcesses } from "./hook-processes.ts";
import { agentForHooks, modelForHooks } from "./hook-questions.ts";
import { redactOutcome } from "./redacted-hooks.ts";
import type { SettingsHooks } from "./session-hooks.ts";

/** The number of runs kept for lists; the oldest are dropped. */
const MAX_RUNS = 200;

const CHANGED = "a file that it names has changed since the user approved it, so it did not run";
const CHECKS: HookChecks = {
  tools: [...KNOWN_TOOLS],
  meantTool: (name) => {
    const unknown = unknownTool(name);
    if (!unknown) return name;
    return unknown.isSlip ? unknown.nearest : undefined;
  },
  conditionProblem: (text) => {
    const { rule, problem } = conditionRule(text);
    return problem === undefined ? undefined : { problem, isUnlimited: rule === undefined };
  },
};

/** Declared hooks, and what is known about the files that they name. */
export type HookSet = {
  readonly declared: readonly DeclaredHook[];
  /** The files that changed since the user approved a hook; undefined if none did. */
  changesOf(hook: DeclaredHook): readonly string[] | undefined;
  /** Asks about a changed hook. @returns true if the hook may run. */
  approve(hook: DeclaredHook, ask: (item: Approvable) => Promise<void>): Promise<boolean>;
};

/** Makes the hooks of a session's settings files. This module is loaded only if there is a hook. */
export function settingsHooks(parts: HookParts, set: HookSet): SettingsHooks {
  const { app, chosen, ports } = parts.session;
  const { declared: all } = set;
  const closing = new AbortController();
  const runs: HookRun[] = [];
  const runKind = kindsOf(parts, set, closing.signal);
  const runner = new HookRunner(app.clock, {
    ran: (run) => {
      runs.push(run);
      if (runs.length > MAX_RUNS) runs.shift();
    },
    showStatus: (text) =>
      parts.main()?.engine.taskNews.emit({ type: "hook_status", ...(text !== undefined && { text }) }),
    late: (outcome) => void redactOutcome(outcome, chosen.redactor).then((hidden) => notifyLate(hidden, parts)),
  });
  const check = hookChecker(parts.session, set);
  runner.register(all.map((declared) => registeredHook(declared, runKind, check)));
  for (const remark of hookRemarks(all, CHECKS)) ports.notify(remark);
  return {
    hooks: runner,
    declared: all,
    runs,
    runKind,
    close: () => {
      runner.close();
      closing.abort(new Error("The session has ended."));
    },
  };
}

/** Reports a background hook's answer: a block wakes the model, a text waits for the next request. */
function notifyLate({ systemMessage, additionalContext, block }: HookOutcome, { main, session }: HookParts): void {
  if (systemMessage !== undefined) session.ports.notify(systemMessage);
  const engine = main()?.engine;
  if (additionalContext !== undefined) engine?.taskNews.addModelNote(`hook:${crypto.randomUUID()}`, additionalContext);
  if (!block) return;
  try {
    engine?.enqueue({ prompt: `A hook in the background reports: ${block.reason}`, typed: "" }, "later");
  } catch {
    // The session is closing.
  }
}

function kindsOf(parts: HookParts, set: HookSet, closing: AbortSignal): RunKind {
  const { environment } = parts.session.chosen;
  const command = once(() => commandPorts(parts, closing));
  /** The agents of hooks: their calls trigger no further agents. */
  const ownAgents = new Set<string>();
  const ask = modelForHooks(parts);
  const agent = agentForHooks(parts, (agentId) => ownAgents.add(agentId));
  const call = toolCaller(parts);
  const kinds: Readonly<Record<HookKind, RunKind>> = {
    command: (declared, input, signal, watch) => runCommandHook(declared, input, command(), signal, watch),
    http: ({ hook }, input, signal) =>
      runHttpHook(hook, input, { fetch: globalThis.fetch, environment: environment.env }, signal),
    mcp_tool: ({ hook }, input, signal) => runToolHook(hook, input, call, signal),
    prompt: ({ hook }, input, signal) => runPromptHook(hook, input, ask, signal),
    agent: async ({ hook }, input, signal) =>
      ownAgents.has(String(input["agent_id"])) ? {} : runPromptHook(hook, input, agent, signal),
  };
  return async (declared, ...rest) => {
    // A file may have changed while the person was reading the question, and a trial of /hooks asks none.
    if (set.changesOf(declared)) throw new Error(CHANGED);
    return kinds[declared.hook.type](declared, ...rest);
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function commandPorts({ session, variables }: HookParts, signal: AbortSignal): CommandPorts {
  const { app, chosen, orphans, ports } = session;
  const { conversation } = chosen;
  const { workspace, settings, project } = chosen.environment;
  const { environment } = variables;
  const userPath = createUserPath({ environment, clock: app.clock, signal });
  const shell = once(() => findShell(environment["PATH"] ?? "", (file) => !workspace.contains(file)));
  const ofCommand = async (tag: string) =>
    childEnvironment(environment, { path: await userPath(), tag, pass: settings.passedVariables });
  let files = 0;
  return {
    projectRoot: project.root,
    environment: ofCommand,
    processes: hookProcesses(orphans, app.clock),
    shell,
    variables: () => {
      files += 1;
      const file = join(conversation.artifacts.directory, `hook-variables-${files}.sh`);
      return {
        file,
        taken: async () => {
          try {
            const request = { file, shell: shell(), cwd: workspace.cwd, env: await ofCommand(crypto.randomUUID()) };
            variables.set(await readVariables(request, signal));
          } catch (error) {
            ports.notify(`The variables of a hook were not applied: ${errorMessage(error)}.`);
          }
        },
      };
    },
  };
}

/**
 * Calls tools of MCP servers for hooks. A person's settings name the tool, so the call needs no allow rule; deny and
 * ask rules, the mode and the person's answer apply as for any call.
 */
function toolCaller({ main }: Pick<HookParts, "main">): CallServerTool {
  return async (server, tool, input, signal) => {
    const agent = main();
    const toolName = `mcp__${server}__${tool}`;
    const found = agent?.offered.get(toolName)?.value;
    if (agent?.permissions.hiddenTools([toolName]).has(toolName)) throw new Error(`a deny rule forbids ${toolName}`);
    if (!agent || !found) throw new Error(`no connected MCP server has the tool ${toolName}`);
    const toolUseId = hookCallId(crypto.randomUUID());
    const { toolPorts, workspace } = agent;
    const context = callContext(toolPorts, { toolUseId, cwd: workspace.cwd, signal, emit: () => undefined });
    const call = await found.prepare(input, context);
    const hook = { decision: "allow", reason: "the settings name the tool" } as const;
    const verdict = await agent.permissions.authorize({ toolUseId, toolName, call, hook }, signal);
    signal.throwIfAborted();
    if (verdict.decision === "deny") {
      const unanswered = verdict.unanswered ? ", and nobody can answer" : "";
      throw new Error(`${toolName} was refused by ${decidedByText(verdict.decidedBy)}${unanswered}`);
    }
    if (verdict.updatedInput) throw new Error(`the answer changed the input of ${toolName}, which is a hook's`);
    const { content, isError } = await call.run(verdict.grant, () => undefined);
    signal.throwIfAborted();
    if (isError) throw new Error(`${toolName} failed: ${textOf(content)}`);
    return textOf(content);
  };
}

/** Events whose hooks can refuse something before it happens. At other events, a changed hook only does not run. */
const GUARDING: ReadonlySet<string> = new Set([
  "PreToolUse",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "TaskCreated",
  "ConfigChange",
]);

/**
 * Checks hooks before each run. A hook whose files have changed since the person approved them does not run, and
 * refuses what it guards until the person approves the files: a change must not turn a guard off.
 */
function hookChecker({ chosen, ports }: HookSession, set: HookSet): CheckHook {
  const canApprove = chosen.config.answerer === "person";
  const asking = new Map<DeclaredHook, Promise<boolean>>();
  const approved = (declared: DeclaredHook, signal: AbortSignal) => {
    const known = asking.get(declared);
    if (known) return known;
    const asked = set.approve(declared, (item) => ports.approve(item, signal)).finally(() => asking.delete(declared));
    asking.set(declared, asked);
    return asked;
  };
  return async (declared, signal) => {
    const { event, hook } = declared;
    const changed = set.changesOf(declared);
    if (!changed) return undefined;
    if (await approved(declared, signal)) return undefined;
    signal.throwIfAborted();
    const reason = changedReason(declared, changed);
    if (!GUARDING.has(event) || isBackground(hook)) throw new Error(reason.failure);
    return refusal(event, reason.refusal, canApprove ? "deny" : "ask");
  };
}

/** Without a person who could approve the hook, whoever answers for permission decides about a call. */
function refusal(event: string, reason: string, verdict: "deny" | "ask"): JsonObject {
  if (event !== "PreToolUse") return { decision: "block", reason };
  return { hookSpecificOutput: { permissionDecision: verdict, permissionDecisionReason: reason } };
}

function changedReason(declared: DeclaredHook, files: readonly string[]) {
  const what = files.length === 0 ? "a file that it names" : files.join(", ");
  const since = `${what} changed since the user approved it`;
  const { plugin } = declared;
  const remedy = plugin
    ? `quoll plugin install ${plugin.name} restores the plugin`
    : "Quoll asks again at the next start";
  return {
    failure: `${since}, so it did not run; the user is told about it at the next start`,
    // Shown cut at 120 characters; that a hook refused the call stands before it.
    refusal: `${since}; ${remedy}`,
  };
}
