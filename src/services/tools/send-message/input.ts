import { z } from "zod";

export const sendMessageInput = z.object({
  to: z.string().min(1).describe("Id or name"),
  message: z.string().trim().min(1),
});
