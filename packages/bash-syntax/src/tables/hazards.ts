import type { HazardRow } from "../command-row.ts";
import { FILE_HAZARDS } from "./hazards-files.ts";
import { GIT_HAZARDS } from "./hazards-git.ts";
import { OUTPUT_HAZARDS } from "./hazards-outputs.ts";
import { SERVICE_HAZARDS } from "./hazards-services.ts";

/** What can't be undone, or only with a way back that somebody left. */
export const HAZARD_ROWS: readonly HazardRow[] = [
  ...FILE_HAZARDS,
  ...GIT_HAZARDS,
  ...OUTPUT_HAZARDS,
  ...SERVICE_HAZARDS,
];
