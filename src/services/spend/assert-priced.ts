import { UserFacingError } from "../../contracts/errors.ts";
import { NO_USAGE } from "../../contracts/message.ts";
import type { ModelCatalog } from "../../contracts/ports.ts";
import { appliesTo, type Cap } from "./caps.ts";
import { unpricedLine } from "./describe-cap.ts";

/**
 * Checks before the first request that the caps on money can be enforced.
 * @throws {UserFacingError} (exit 2) a cap on money applies to the conversation, and the model's price is unknown.
 */
export async function assertPriced(
  model: string,
  caps: readonly Cap[],
  catalog: Pick<ModelCatalog, "cost">,
): Promise<void> {
  const cap = caps.find((cap) => cap.unit === "usd" && appliesTo(cap, "main"));
  if (!cap) return;
  if ((await catalog.cost(model, { ...NO_USAGE, inputTokens: 1 })) === undefined) {
    throw new UserFacingError(unpricedLine(model, cap), 2);
  }
}
