import { ANSWERS, MEDIA, STRUCTURED, TALK, THINKING } from "./scenarios/answers.ts";
import { CALLS, IDS } from "./scenarios/calls.ts";
import { CUTS, FAULTS, WAITS } from "./scenarios/faults.ts";
import type { Conformance } from "./scenarios/lines.ts";
import { ODD_STREAMS } from "./scenarios/odd-streams.ts";
import { PROXIES } from "./scenarios/proxies.ts";
import { FALLBACK, RECOVERIES, STOPS } from "./scenarios/recoveries.ts";

export const SCENARIOS: readonly Conformance[] = [
  ...ANSWERS,
  ...TALK,
  ...THINKING,
  ...CALLS,
  ...IDS,
  ...STOPS,
  ...FAULTS,
  ...CUTS,
  ...WAITS,
  ...RECOVERIES,
  ...ODD_STREAMS,
  ...PROXIES,
  ...FALLBACK,
  ...MEDIA,
  ...STRUCTURED,
];
