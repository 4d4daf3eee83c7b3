import { EFFORTS, type Effort, type ModelCapabilities, type ProviderRequest } from "../../contracts/provider.ts";

/**
 * Tokens of thinking that stand for an effort where a model takes a number, and the other way round. Ours: from a look at a
 * small problem to what is left of the longest answer.
 */
export const EFFORT_TOKENS: Readonly<Record<Effort, number>> = {
  low: 4_096,
  medium: 12_288,
  high: 24_576,
  max: 63_000,
};

/** Whether no thinking is wanted at all. */
export function isThinkingOff({ thinking }: Pick<ProviderRequest, "thinking">): boolean {
  return thinking === false || thinking === 0;
}

/** The most tokens to think with, where a number was given. */
export function thinkingTokens({ thinking }: Pick<ProviderRequest, "thinking">): number | undefined {
  return typeof thinking === "number" && thinking > 0 ? Math.floor(thinking) : undefined;
}

/**
 * The effort to ask for: the one that was chosen, else the one whose thinking comes nearest to a number of tokens.
 * @param efforts those that the model knows; undefined where nobody can tell.
 * @returns undefined where nothing was asked for, or the model knows no efforts.
 */
export function wantedEffort(
  request: Pick<ProviderRequest, "effort" | "thinking">,
  efforts: readonly Effort[] | undefined,
): Effort | undefined {
  const tokens = thinkingTokens(request);
  const wanted = request.effort ?? (tokens === undefined ? undefined : nearestEffort(tokens));
  return wanted === undefined || efforts === undefined ? wanted : fittingEffort(wanted, efforts);
}

/** The efforts of a model; undefined for one that the tables don't know, whose server will say what it takes. */
export function knownEfforts({ known, efforts }: ModelCapabilities): readonly Effort[] | undefined {
  return known || efforts.length > 0 ? efforts : undefined;
}

function nearestEffort(tokens: number): Effort {
  const distance = (effort: Effort) => Math.abs(EFFORT_TOKENS[effort] - tokens);
  return EFFORTS.reduce((best, effort) => (distance(effort) < distance(best) ? effort : best));
}

/** The same, else the next below it, else the lowest there is. */
function fittingEffort(wanted: Effort, efforts: readonly Effort[]): Effort | undefined {
  const known = EFFORTS.filter((effort) => efforts.includes(effort));
  return known.findLast((effort) => EFFORTS.indexOf(effort) <= EFFORTS.indexOf(wanted)) ?? known[0];
}
