import { orAborted } from "@quoll/async/or-aborted";
import type { AuthorizedCall } from "../../contracts/agent-scope.ts";
import { ToolFailedError } from "../../contracts/errors.ts";
import { textOf } from "../../contracts/message.ts";
import { judgedBy, type PermissionEngine } from "../../contracts/permission.ts";
import { outsideCallId } from "../../contracts/served-session.ts";
import { type CallingAgent, runOutsideCall } from "../session/actions/run-outside-call.ts";

type Wanted = {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
};

/**
 * Takes an agent's call through validation, hooks and permissions, and holds the call until it is run or dropped.
 * @throws {ToolFailedError} the call can't be made or was refused.
 */
export async function authorizedCall(agent: CallingAgent, { name, input, signal }: Wanted): Promise<AuthorizedCall> {
  const dropping = new AbortController();
  const held = AbortSignal.any([signal, dropping.signal]);
  const allowed = Promise.withResolvers<"allowed">();
  const go = Promise.withResolvers<void>();
  const permissions = heldPermissions(agent.permissions, async () => {
    allowed.resolve("allowed");
    await orAborted(go.promise, held);
  });
  const call = { id: outsideCallId(agent.session.app.ids.next()), name, input };
  const finished = runOutsideCall(agent, call, { signal: held, permissions });
  finished.catch(() => undefined);
  const first = await Promise.race([allowed.promise, finished]);
  if (first !== "allowed") throw new ToolFailedError(textOf(first.result.content));
  return {
    async run() {
      go.resolve();
      const { result, display } = await finished;
      return { text: textOf(result.content), isError: result.isError === true, display };
    },
    async drop() {
      dropping.abort(new Error("The call is not needed."));
      await finished.catch(() => undefined);
    },
  };
}

/** Wraps the permissions so that `allowed` runs before an allowed call gets its answer. */
function heldPermissions(engine: PermissionEngine, allowed: () => Promise<void>): PermissionEngine {
  let isPart = false;
  return judgedBy(engine, async (request, signal) => {
    const verdict = await engine.authorize(request, signal);
    if (verdict.decision !== "allow") return verdict;
    // A changed input is checked once more, and that verdict applies.
    if (verdict.updatedInput && !isPart) isPart = true;
    else await allowed();
    return verdict;
  });
}
