import { z } from "zod";

export const webFetchInput = z.object({
  url: z.string().min(1),
  prompt: z.string().optional(),
  offset: z.number().int().min(0).optional(),
});
