import { z } from "zod";

export const taskGetInput = z.object({ taskId: z.string().trim().min(1) });
