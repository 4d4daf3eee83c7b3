import type { Charge, SpendGuard } from "../../contracts/spend.ts";

/**
 * Sums the money that an agent spends.
 * @param tell Receives the sum in US dollars after each request; null from the first request with an unknown price.
 * @returns the function that stops this.
 */
export function followCost(
  watch: SpendGuard["watch"],
  agentId: string,
  tell: (costUsd: number | null) => void,
): () => void {
  let sum: number | null = 0;
  const unwatch = watch?.(({ agentIds, usd }: Charge) => {
    if (!agentIds?.includes(agentId)) return;
    sum = sum === null || usd === undefined ? null : sum + usd;
    tell(sum);
  });
  return () => unwatch?.();
}
