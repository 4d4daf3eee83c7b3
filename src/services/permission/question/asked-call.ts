import type { DecidedBy } from "../../../contracts/decided-by.ts";
import type { PermissionRequest } from "../../../contracts/permission.ts";
import type { OpenedNetwork } from "../../../contracts/subject.ts";
import type { CallAssessment } from "../judge/call-assessor.ts";
import type { Confinement, Evaluation } from "../judge/judgement.ts";

/** A call that needs an answer; `more` is a reason in addition to the judgements. */
export type AskedCall = {
  readonly request: PermissionRequest;
  readonly assessment: CallAssessment;
  readonly evaluation: Evaluation;
  readonly more: string | undefined;
};

/** Why a call may run, where it runs, and with which network. */
export type Permit = {
  readonly decidedBy: DecidedBy;
  readonly confinement: Confinement;
  readonly opened?: OpenedNetwork | undefined;
  /** True if there is a sandbox. */
  readonly hasSandbox?: boolean | undefined;
};
