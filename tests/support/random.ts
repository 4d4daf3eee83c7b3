/** Numbers that look random and are the same in every run: `next(n)` is an integer from 0 to n − 1. */
export function seededRandom(seed: number) {
  let state = seed >>> 0 || 1;
  const next = (below: number) => {
    // xorshift32 (Marsaglia 2003).
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
  const pick = <T>(items: readonly T[]): T => items[next(items.length)] as T;
  return { next, pick };
}
