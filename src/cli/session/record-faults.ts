import type { Session } from "../../app/session/session.ts";
import { errorMessage } from "../../contracts/errors.ts";
import { isClaimed } from "../../platform/uncaught-errors.ts";

/** An unexpected error. Its stack is stored in `where`. */
export class RecordedFault extends Error {
  override name = "RecordedFault";
  constructor(
    readonly where: string,
    cause: unknown,
  ) {
    super(errorMessage(cause), { cause });
  }
}

type Noting = { readonly debugging: Pick<Session["debugging"], "noteFault"> };

/**
 * Runs the work of a session. An error that it throws, or that is uncaught in the meantime, ends the work, and its
 * stack is recorded with the session.
 * @throws {RecordedFault} a bug in Quoll; any other error unchanged.
 */
export async function recordFaults<Result>(
  session: () => Noting | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const uncaught = Promise.withResolvers<never>();
  const onFault = (error: unknown) => {
    if (!isClaimed(error)) uncaught.reject(error);
  };
  process.on("uncaughtException", onFault).on("unhandledRejection", onFault);
  try {
    return await Promise.race([work(), uncaught.promise]);
  } catch (error) {
    throw recordedFault(error, session());
  } finally {
    process.off("uncaughtException", onFault).off("unhandledRejection", onFault);
  }
}

/** The error itself, or a `RecordedFault` if its stack was recorded. */
export function recordedFault(error: unknown, session: Noting | undefined): unknown {
  const where = session?.debugging.noteFault(error) ?? "";
  return where === "" ? error : new RecordedFault(where, error);
}

/** The line about a fault for the person. */
export function faultLine(error: unknown): string {
  const where = error instanceof RecordedFault ? error.where : "--debug shows where";
  return `quoll: a bug in Quoll: ${errorMessage(error)} (${where})`;
}
