import { z } from "zod";

export const taskListInput = z.object({});
