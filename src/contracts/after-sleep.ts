/** Calls a function after a wait of a clock, unless the signal of the wait ends it. */
export function afterSleep(sleep: Promise<void>, then: () => void): void {
  sleep.then(then, () => undefined);
}
