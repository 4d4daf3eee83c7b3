import { decidedByText } from "../../contracts/decided-by.ts";
import { judgedBy, type PermissionEngine, type PermissionRequest, type Verdict } from "../../contracts/permission.ts";
import { callOf, type Question, type Reply } from "../../contracts/question.ts";
import { type Grant, makeGrant, type Subject } from "../../contracts/subject.ts";
import { type CallMatcher, isRefusal, type MatchedCall } from "./call-matcher.ts";
import type { RecordedResult } from "./recording.ts";

const REFUSED_THEN = "it was refused in the recording, and would be allowed here";
const CHANGES_OTHERS = "it would change files outside the copy";
const UNCONFINED = "it would run outside a sandbox here, and the recording is a file";

export type ReplayPolicy = {
  readonly matcher: CallMatcher;
  /** Allows every call that was allowed in the recording. */
  readonly allowsRecorded: boolean;
  /** The recording is a file from any source, so rules for the user's own work do not apply to it. */
  readonly isForeign: boolean;
  /** True if commands are confined in this replay. */
  isConfined(): Promise<boolean>;
  /** True if a path, absolute and resolved, is inside the scratch copy. */
  isInCopy(path: string): boolean;
};

/**
 * Judges calls like the session's engine, with nobody to ask. A call that is refused although it ran in the recording returns its
 * recorded result, and so does a call that was refused then.
 * @param edits The same engine, in a mode that allows edits of the project's files.
 */
export function replayPermissions(
  inner: PermissionEngine,
  edits: PermissionEngine,
  policy: ReplayPolicy,
): PermissionEngine {
  const { matcher } = policy;
  return judgedBy(inner, async (request, signal) => {
    const call = matcher.find(request.toolUseId);
    if (!call?.recorded || call.notRun !== undefined) return grantFor(request);
    const verdict = await judge(request, signal, call);
    const why = reasonAgainst(request, verdict, call.recorded);
    if (why === undefined) {
      call.isRefusedAgain = verdict.decision === "deny" && isRefusal(call.recorded);
      return verdict;
    }
    matcher.giveBack(call, why);
    return grantFor(request);
  });

  /** The reason to return the recorded result instead of running a call; undefined if the verdict applies. */
  function reasonAgainst(request: PermissionRequest, verdict: Verdict, recorded: RecordedResult): string | undefined {
    if (verdict.decision === "deny")
      return recorded.ran ? `${decidedByText(verdict.decidedBy)}; in the recording it was allowed` : undefined;
    return isRefusal(recorded) ? REFUSED_THEN : beyondCopy(request, verdict.grant, policy);
  }

  async function judge(request: PermissionRequest, signal: AbortSignal, call: MatchedCall): Promise<Verdict> {
    // A person's approval of an edit: files outside the project and protected files still need a question.
    const isEdit = request.call.level === "write" && call.recorded?.ran === true;
    if (isEdit && inner.mode !== "plan" && (await policy.isConfined())) {
      const verdict = await edits.authorize(request, signal);
      if (verdict.decision === "allow") return verdict;
    }
    return inner.authorize(request, signal);
  }
}

/** Answers questions in a replay: yes only for calls that were approved in the recording, and only if they are safe. */
export async function answerQuestion(question: Question, policy: ReplayPolicy): Promise<Reply> {
  const { body } = question;
  const recorded = policy.matcher.find(callOf(question)?.toolUseId ?? "")?.recorded;
  if (body.kind === "plan") {
    const isTaken = recorded !== undefined && !recorded.isError && recorded.end?.kind !== "unanswered";
    return isTaken ? { decision: "once" } : { decision: "reject" };
  }
  if (body.kind !== "permission" || !recorded?.ran) return { decision: "reject" };
  if (policy.allowsRecorded) return { decision: "once" };
  const staysInside = body.confinement !== undefined && body.isOutside !== true;
  return staysInside && (await policy.isConfined()) ? { decision: "once" } : { decision: "reject" };
}

/** Rules may allow more than a replay: rejects calls that would leave the copy. The sandbox confines the others. */
function beyondCopy({ call }: PermissionRequest, { confinement }: Grant, policy: ReplayPolicy): string | undefined {
  if (policy.allowsRecorded || confinement === "sandbox") return undefined;
  const { subjects } = call;
  if (subjects.some((subject) => subject.action === "write" && !subject.inside && !policy.isInCopy(subject.path)))
    return CHANGES_OTHERS;
  const runs = ({ action, ...rest }: Subject) => action === "network" || ("readOnly" in rest && !rest.readOnly);
  return policy.isForeign && subjects.some(runs) ? UNCONFINED : undefined;
}

function grantFor({ toolUseId }: PermissionRequest): Verdict {
  return {
    decision: "allow",
    grant: makeGrant({ toolUseId, confinement: "none", decidedBy: { kind: "recording" }, notes: [] }),
  };
}
