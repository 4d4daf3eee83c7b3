import { textOf } from "../../contracts/message.ts";
import type { PermissionEngine, PermissionRequest, Question, Reply, Verdict } from "../../contracts/permission.ts";
import { type Grant, makeGrant, type Subject } from "../../contracts/subject.ts";
import { type BookedCall, type CallBook, isRefusal } from "./call-book.ts";
import type { RecordedResult } from "./recording.ts";

const AGREED = /^The user agreed to the plan\b/;
const REFUSED_THEN = "it was refused in the recording, and would be allowed here";
const CHANGES_OTHERS = "it would change files outside of the copy";
const UNCONFINED = "no sandbox would confine it here, and the recording is a file";

export type ReplayPolicy = {
  readonly book: CallBook;
  /** Everything that was allowed in the recording is allowed again. */
  readonly allowsRecorded: boolean;
  /** A file's, of whomever: then rules that were made for one's own work lend it nothing. */
  readonly isForeign: boolean;
  /** Whether commands are confined here. */
  isConfined(): Promise<boolean>;
  /** Whether a path, absolute and resolved, lies in the scratch copy. */
  isInCopy(path: string): boolean;
};

/**
 * Judges calls as the session's own engine does, with nobody to ask. What it refuses though it ran in the recording is given back
 * as it was recorded, and so is what was refused then.
 * @param edits The same engine, in a mode that takes changes of the project's files.
 */
export function replayPermissions(
  inner: PermissionEngine,
  edits: PermissionEngine,
  policy: ReplayPolicy,
): PermissionEngine {
  const { book } = policy;
  return {
    get mode() {
      return inner.mode;
    },
    set mode(mode) {
      inner.mode = mode;
    },
    hiddenTools: (names) => inner.hiddenTools(names),
    describe: () => inner.describe(),
    authorize: async (request, signal) => {
      const call = book.find(request.toolUseId);
      if (!call?.recorded || call.notRun !== undefined) return grantFor(request);
      const verdict = await judge(request, signal, call);
      const why = reasonAgainst(request, verdict, call.recorded);
      if (why === undefined) {
        call.isRefusedAgain = verdict.decision === "deny" && isRefusal(call.recorded);
        return verdict;
      }
      book.giveBack(call, why);
      return grantFor(request);
    },
  };

  /** Why a call is not run, and its recorded result given back; undefined where the verdict holds. */
  function reasonAgainst(request: PermissionRequest, verdict: Verdict, recorded: RecordedResult): string | undefined {
    if (verdict.decision === "deny") return recorded.ran ? `${verdict.by}; in the recording it was allowed` : undefined;
    return isRefusal(recorded) ? REFUSED_THEN : beyondCopy(request, verdict.grant, policy);
  }

  async function judge(request: PermissionRequest, signal: AbortSignal, call: BookedCall): Promise<Verdict> {
    // A person's yes to a change of a file: files outside of the project, and those that are protected, are still asked for.
    const isEdit = request.call.level === "write" && call.recorded?.ran === true;
    if (isEdit && inner.mode !== "plan" && (await policy.isConfined())) {
      const verdict = await edits.authorize(request, signal);
      if (verdict.decision === "allow") return verdict;
    }
    return inner.authorize(request, signal);
  }
}

/** What answers questions in a replay: a yes only to what the recording says a yes was given to, and only where that is safe. */
export async function answerQuestion(question: Question, policy: ReplayPolicy): Promise<Reply> {
  const recorded = policy.book.find(question.toolUseId)?.recorded;
  if (question.kind === "plan") {
    const isTaken = recorded !== undefined && AGREED.test(textOf(recorded.content));
    return isTaken ? { decision: "once" } : { decision: "reject" };
  }
  if (question.kind !== "permission" || !recorded?.ran) return { decision: "reject" };
  if (policy.allowsRecorded) return { decision: "once" };
  const staysInside = question.confinement?.startsWith("in the ") === true;
  return staysInside && (await policy.isConfined()) ? { decision: "once" } : { decision: "reject" };
}

/** Rules reach further than a replay may: what would leave the copy. What the sandbox confines can't. */
function beyondCopy({ call }: PermissionRequest, { confinement }: Grant, policy: ReplayPolicy): string | undefined {
  if (policy.allowsRecorded || confinement === "sandbox") return undefined;
  const { subjects } = call;
  if (subjects.some((subject) => subject.action === "write" && !policy.isInCopy(subject.path))) return CHANGES_OTHERS;
  const runs = ({ action, ...rest }: Subject) => action === "network" || ("readOnly" in rest && !rest.readOnly);
  return policy.isForeign && subjects.some(runs) ? UNCONFINED : undefined;
}

function grantFor({ toolUseId }: PermissionRequest): Verdict {
  return { decision: "allow", grant: makeGrant({ toolUseId, confinement: "none", by: "the recording", notes: [] }) };
}
