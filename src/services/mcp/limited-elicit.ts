import type { QuestionLimit } from "./question-limit.ts";
import type { OpenDeps } from "./session/open-session.ts";

type Elicit = NonNullable<OpenDeps["elicit"]>;

/** Passes a limited number of a server's questions to the person; further questions are declined. */
export function limitedElicit(elicit: Elicit, questions: QuestionLimit, onDeclined: () => void): Elicit {
  return async (request, signal) => {
    const reply = await questions.within((limited) => elicit(request, limited), signal);
    if (reply) return reply;
    onDeclined();
    return { action: "decline" };
  };
}
