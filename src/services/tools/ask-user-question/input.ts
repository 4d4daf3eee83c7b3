import { z } from "zod";

const MAX_QUESTIONS = 4;
const MIN_OPTIONS = 2;
const MAX_OPTIONS = 4;

/** `readQuestions` limits the lengths of the texts, which models respect without being told. */
export const askUserQuestionInput = z.object({
  questions: z
    .array(
      z.object({
        question: z.string().trim().min(1),
        header: z.string().trim().min(1).describe("At most 12 letters"),
        options: z
          .array(
            z.object({
              label: z.string().trim().min(1),
              description: z.string().trim().optional(),
              preview: z.string().optional(),
            }),
          )
          .min(MIN_OPTIONS)
          .max(MAX_OPTIONS),
        multiSelect: z.boolean().optional(),
      }),
    )
    .min(1)
    .max(MAX_QUESTIONS),
});
