import { z } from "zod";

export const writeInput = z.object({ file_path: z.string().min(1), content: z.string() });
