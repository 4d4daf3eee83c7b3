import { EFFORTS, type Effort, type ModelCapabilities, type ProviderRequest } from "../../contracts/provider.ts";

/**
 * Conversion between efforts and numbers of thinking tokens. Quoll's own choice: from a brief look at a small problem
 * to the longest possible answer.
 */
export const EFFORT_TOKENS: Readonly<Record<Effort, number>> = {
  low: 4_096,
  medium: 12_288,
  high: 24_576,
  xhigh: 40_960,
  max: 63_000,
};

/** True if thinking is turned off. */
export function isThinkingOff({ thinking }: Pick<ProviderRequest, "thinking">): boolean {
  return thinking === false || thinking === 0;
}

/** The maximum number of thinking tokens, if one was given. */
export function thinkingTokens({ thinking }: Pick<ProviderRequest, "thinking">): number | undefined {
  return typeof thinking === "number" && thinking > 0 ? Math.floor(thinking) : undefined;
}

/**
 * The effort to request: the chosen effort, otherwise the effort whose token number is nearest to the given number.
 * @param efforts The model's efforts; undefined if they are unknown.
 * @returns undefined if nothing was requested, or the model has no efforts.
 */
export function wantedEffort(
  request: Pick<ProviderRequest, "effort" | "thinking">,
  efforts: readonly Effort[] | undefined,
): Effort | undefined {
  const tokens = thinkingTokens(request);
  const wanted = request.effort ?? (tokens === undefined ? undefined : nearestEffort(tokens));
  return wanted === undefined || efforts === undefined ? wanted : fittingEffort(wanted, efforts);
}

/** The efforts of a model; undefined for a model that is not in the tables, whose server will decide. */
export function knownEfforts({ known, efforts }: ModelCapabilities): readonly Effort[] | undefined {
  return known || efforts.length > 0 ? efforts : undefined;
}

function nearestEffort(tokens: number): Effort {
  const distance = (effort: Effort) => Math.abs(EFFORT_TOKENS[effort] - tokens);
  return EFFORTS.reduce((best, effort) => (distance(effort) < distance(best) ? effort : best));
}

/** The same effort, otherwise the next lower effort, otherwise the lowest. */
function fittingEffort(wanted: Effort, efforts: readonly Effort[]): Effort | undefined {
  const known = EFFORTS.filter((effort) => efforts.includes(effort));
  return known.findLast((effort) => EFFORTS.indexOf(effort) <= EFFORTS.indexOf(wanted)) ?? known[0];
}
