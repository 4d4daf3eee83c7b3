/** Loads a value at the first call; later calls get the same value. */
export type Lazy<Value> = {
  (): Promise<Value>;
  /** The value; undefined until it is loaded. */
  readonly value: Value | undefined;
  /** The load; undefined if nobody has needed the value yet, and after a load that failed. */
  readonly begun: Promise<Value> | undefined;
};

/** @param load Makes the value; if it fails, the next call loads again. */
export function lazy<Value>(load: () => Promise<Value>): Lazy<Value> {
  let value: Value | undefined;
  let begun: Promise<Value> | undefined;
  const run = async () => {
    try {
      value = await load();
      return value;
    } catch (error) {
      // A load that throws at once does so before its promise is kept.
      await undefined;
      begun = undefined;
      throw error;
    }
  };
  const get = () => {
    begun ??= run();
    return begun;
  };
  return Object.defineProperties(get, { value: { get: () => value }, begun: { get: () => begun } }) as Lazy<Value>;
}
