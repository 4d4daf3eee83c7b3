import { z } from "zod";

export const taskStopInput = z.object({ task_id: z.string().min(1) });
