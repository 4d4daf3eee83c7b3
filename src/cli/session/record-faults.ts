import type { Session } from "../../app/session/open-session.ts";
import { errorMessage } from "../../contracts/errors.ts";

/** An error that nobody expected; its stack is kept where `where` says. */
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
 * Does the work of a session. Whatever it throws, and whatever nobody else catches meanwhile, ends the work with that error and
 * leaves its stack with the session.
 * @throws {RecordedFault} for a fault of Quoll itself; any other error as it is.
 */
export async function recordFaults<Result>(
  session: () => Noting | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const uncaught = Promise.withResolvers<never>();
  const onFault = (error: unknown) => uncaught.reject(error);
  process.on("uncaughtException", onFault).on("unhandledRejection", onFault);
  try {
    return await Promise.race([work(), uncaught.promise]);
  } catch (error) {
    throw recordedFault(error, session());
  } finally {
    process.off("uncaughtException", onFault).off("unhandledRejection", onFault);
  }
}

/** The error itself, unless it is a fault whose stack was kept. */
export function recordedFault(error: unknown, session: Noting | undefined): unknown {
  const where = session?.debugging.noteFault(error) ?? "";
  return where === "" ? error : new RecordedFault(where, error);
}

/** The line that a person gets of a fault. */
export function faultLine(error: unknown): string {
  const where = error instanceof RecordedFault ? error.where : "--debug shows where";
  return `quoll: a fault of Quoll itself: ${errorMessage(error)} (${where})`;
}
