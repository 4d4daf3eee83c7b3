import { z } from "zod";

export const toolCallInput = z.object({ name: z.string().min(1), input: z.looseObject({}) });
