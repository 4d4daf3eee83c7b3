import { z } from "zod";

export const enterPlanModeInput = z.object({});
