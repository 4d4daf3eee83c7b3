import { z } from "zod";

export const readInput = z.object({
  file_path: z.string().min(1),
  offset: z.number().min(0).optional().describe("First line, from 1"),
  limit: z.number().min(1).optional().describe("Most lines; 2000 by default"),
  pages: z.string().optional().describe("Such as 1-5"),
});
