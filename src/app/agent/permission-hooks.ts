import {
  type HookCommon,
  type HookInput,
  type HookOutcome,
  type Hooks,
  isHookCall,
  type PermissionAnswer,
} from "../../contracts/hook.ts";
import type { PermissionEngine, PermissionRequest } from "../../contracts/permission.ts";
import type { PermissionHooks } from "../../services/permission/permission-deps.ts";

type Parts = {
  readonly hooks: Hooks;
  common(): HookCommon;
  permissions(): Pick<PermissionEngine, "matches">;
  /** Tells the person one line. */
  notify(line: string): void;
};

type Asked = Extract<HookInput, { readonly event: "PermissionRequest" | "PermissionDenied" }>;

/** Asks hooks when a person would be asked about a call, and notifies them of calls that a judge refused. */
export function permissionHooks(parts: Parts): PermissionHooks {
  return {
    request: (request, signal) =>
      !isHookCall(request.toolUseId) && parts.hooks.wants("PermissionRequest", request.toolName)
        ? answerOf(request, parts, signal)
        : undefined,
    async denied(request, reason, signal) {
      if (isHookCall(request.toolUseId)) return { retry: false };
      const outcome = await ask({ event: "PermissionDenied", reason, ...about(request, parts) }, parts, signal);
      return { retry: outcome.retry ?? false };
    },
  };
}

async function answerOf(
  request: PermissionRequest,
  parts: Parts,
  signal: AbortSignal,
): Promise<PermissionAnswer | undefined> {
  const { answer, block, stop } = await ask({ event: "PermissionRequest", ...about(request, parts) }, parts, signal);
  const endsTurn = stop !== undefined;
  if (stop) return { behavior: "deny", reason: stop.reason, endsTurn };
  return block ? { behavior: "deny", endsTurn, ...block } : answer;
}

function about({ toolName, toolUseId, call }: PermissionRequest, { permissions }: Parts) {
  const matches = (rule: string) => permissions().matches(rule, { toolName, call });
  return { toolName, toolUseId, toolInput: call.input, matches };
}

async function ask(input: Asked, { hooks, common, notify }: Parts, signal: AbortSignal): Promise<HookOutcome> {
  if (!hooks.wants(input.event, input.toolName)) return {};
  const outcome = await hooks.run(Object.assign({}, input, common()), signal).catch((): HookOutcome => ({}));
  if (outcome.systemMessage !== undefined) notify(outcome.systemMessage);
  return outcome;
}
