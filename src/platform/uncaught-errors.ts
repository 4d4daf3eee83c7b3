/** A part of the program whose uncaught errors do not end it. */
export type Claim = {
  /**
   * Absolute: `/folder/` or `/file.ts:`. An error belongs to the claim if a frame of its stack names one of these
   * places.
   */
  readonly places: readonly string[];
  /** @param frames The lines of the stack that name code. */
  claimed(frames: string, message: string): void;
};

const claims = new Set<Claim>();

/** Takes uncaught errors of a claim's files. @returns the function that ends the claim. */
export function claimUncaught(claim: Claim): () => void {
  if (claims.size === 0) process.on("uncaughtException", onError).on("unhandledRejection", onError);
  claims.add(claim);
  return () => {
    claims.delete(claim);
    if (claims.size === 0) process.off("uncaughtException", onError).off("unhandledRejection", onError);
  };
}

/** True if a claim covers an uncaught error: other listeners leave the error alone. */
export function isClaimed(error: unknown): boolean {
  return claimOf(error) !== undefined;
}

/** Errors of Bun itself often have a stack without frames: no claim covers them. */
function claimOf(error: unknown): Claim | undefined {
  const frames = framesOf(error);
  return frames === "" ? undefined : [...claims].find(({ places }) => places.some((place) => frames.includes(place)));
}

function onError(error: unknown): void {
  const claim = claimOf(error);
  if (claim) {
    claim.claimed(framesOf(error), error instanceof Error ? error.message : String(error));
    return;
  }
  // If no other listener exists, the error must end the program, as it would without this listener.
  if (process.listenerCount("uncaughtException") === 1) throw error;
}

/** The lines of a stack that name code: the message before these lines can contain any text. */
function framesOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const { stack = "", message } = error;
  const at = message === "" ? -1 : stack.indexOf(message);
  const frames = at < 0 ? stack : stack.slice(at + message.length);
  return (frames.match(/^ +at .*$/gm) ?? []).join("\n");
}
