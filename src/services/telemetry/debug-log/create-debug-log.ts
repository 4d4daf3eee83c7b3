import type { Command } from "../../../contracts/command.ts";
import type { DebugTopic } from "../../../contracts/debug.ts";
import { decidedByText } from "../../../contracts/decided-by.ts";
import type { EventEnvelope } from "../../../contracts/event.ts";
import type { HookCommon, HookInput, HookOutcome, Hooks } from "../../../contracts/hook.ts";
import type { Authorize, PermissionRequest, Verdict } from "../../../contracts/permission.ts";
import type { Clock } from "../../../contracts/ports.ts";
import type { Provider } from "../../../contracts/provider.ts";
import type { SpendSource } from "../../../contracts/spend.ts";
import { watchDecisions } from "../watch-decisions.ts";
import { watchProvider } from "../watch-provider.ts";
import type { DebugFile } from "./debug-file.ts";
import { eventEntry, msText } from "./event-entry.ts";
import { RequestLog } from "./request-log.ts";

/** Writes what a session does into its debug log. No method throws or changes what it observes. */
export interface DebugLog {
  readonly path: string;
  /** Returns the same provider, with its requests logged. */
  watchProvider(provider: Provider, source: SpendSource): Provider;
  /** Returns the same judge of calls, with its verdicts logged. */
  watchDecisions(authorize: Authorize): Authorize;
  watchHooks(hooks: Hooks): Hooks;
  /** Returns the same slash command, with each run logged without its argument. */
  watchCommand(command: Command): Command;
  /** Receives the engine's events, like any subscriber. */
  observe(envelope: EventEnvelope): void;
  note(topic: DebugTopic | "log", text: string): void;
  /** Logs an unexpected error with its stack and its causes. */
  fault(error: unknown): void;
  close(): void;
}

export function createDebugLog(file: DebugFile, clock: Clock): DebugLog {
  const now = () => clock.monotonicMs();
  let requests = 0;
  const fault = (error: unknown) => file.write("fault", stackOf(error));
  return {
    path: file.path,
    watchProvider: (provider, source) =>
      watchProvider(provider, (request) => {
        requests += 1;
        const notify = (line: string) => file.write("api", line);
        return new RequestLog(request, {
          provider: provider.name,
          source,
          number: requests,
          nowMs: now,
          notify,
          fault,
        });
      }),
    watchDecisions: (authorize) =>
      watchDecisions(authorize, now, (request, verdict, waitedMs) =>
        file.write("permissions", `${verdictText(request, verdict)} (${msText(waitedMs)})`),
      ),
    watchHooks: (hooks) => ({
      wants: (event, toolName) => hooks.wants(event, toolName),
      run: async (input, signal) => {
        const startedMs = now();
        const outcome = await hooks.run(input, signal);
        file.write("hooks", `${hookText(input, outcome)} (${msText(now() - startedMs)})`);
        return outcome;
      },
    }),
    watchCommand: (command) => ({
      ...command,
      run: async (argument, context, signal) => {
        const startedMs = now();
        const result = await command.run(argument, context, signal);
        file.write("ui", `/${command.name}: ${result.kind} (${msText(now() - startedMs)})`);
        return result;
      },
    }),
    observe: ({ agentId, event }) => {
      const entry = eventEntry(event);
      if (entry) file.write(entry.tag, agentId === "main" ? entry.text : `${agentId}: ${entry.text}`);
    },
    note: (topic, text) => file.write(topic, text),
    fault,
    close: () => {
      file.write("log", "closed");
      file.close();
    },
  };
}

function verdictText({ toolUseId, toolName }: PermissionRequest, verdict: Verdict): string {
  const call = `${toolUseId} ${toolName}`;
  if (verdict.decision === "deny")
    return `${call} denied: ${decidedByText(verdict.decidedBy)}${verdict.unanswered ? "; nobody could be asked" : ""}`;
  const { decidedBy, confinement, notes } = verdict.grant;
  const place = confinement === "sandbox" ? "in the sandbox" : "outside the sandbox";
  return [`${call} allowed: ${decidedByText(decidedBy)}; ${place}`, ...notes].join("; ");
}

function hookText(input: HookInput & HookCommon, outcome: HookOutcome): string {
  const tool = "toolName" in input ? ` ${input.toolName}` : "";
  const { block, permission, stop } = outcome;
  const said = [
    ...(block ? [`block: ${block.reason}`] : []),
    ...(permission ? [`${permission.decision}: ${permission.reason}`] : []),
    ...(stop ? [`stop: ${stop.reason}`] : []),
    ...(outcome.updatedInput ? ["another input"] : []),
    ...(outcome.updatedOutput ? ["another output"] : []),
    ...(outcome.additionalContext === undefined ? [] : ["words for the model"]),
    ...(outcome.systemMessage === undefined ? [] : ["a line for the person"]),
  ];
  return `${input.event}${tool}: ${said.join(", ") || "nothing said"}`;
}

/** The stacks of an error and of its causes. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return `thrown: ${String(error)}`;
  const own = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause === undefined ? own : `${own}\ncaused by ${stackOf(error.cause)}`;
}
