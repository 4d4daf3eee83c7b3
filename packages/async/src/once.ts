/** Runs a job at the first call and gives its result to every later one; a job that failed runs again. */
export function once<Value>(job: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  return () => {
    running ??= job().catch((error: unknown) => {
      running = undefined;
      throw error;
    });
    return running;
  };
}
