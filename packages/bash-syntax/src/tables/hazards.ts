import type { HazardRow } from "../command-row.ts";
import { FILE_HAZARDS } from "./hazards-files.ts";
import { GIT_HAZARDS } from "./hazards-git.ts";
import { OUTPUT_HAZARDS } from "./hazards-outputs.ts";
import { SERVICE_HAZARDS } from "./hazards-services.ts";

/** Commands whose effects cannot be undone, or only from an existing backup. */
export const HAZARD_ROWS: readonly HazardRow[] = [
  ...FILE_HAZARDS,
  ...GIT_HAZARDS,
  ...OUTPUT_HAZARDS,
  ...SERVICE_HAZARDS,
];
