import type { Hazard } from "../../../contracts/subject.ts";

/** Data that would be lost can't be backed up; the message is one phrase with the reason. */
export class CannotBackUpError extends Error {
  override name = "CannotBackUpError";
  /** The only cause; undefined if the reason applies to all hazards of the call. */
  readonly hazard: Hazard | undefined;

  constructor(why: string, { hazard, ...options }: ErrorOptions & { readonly hazard?: Hazard | undefined } = {}) {
    super(why, options);
    this.hazard = hazard;
  }
}
