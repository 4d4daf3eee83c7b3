import { clip } from "./form.ts";
import { nearestForms } from "./grammar.ts";
import { ADD_A_MODEL } from "./help.ts";
import type { Request } from "./parse-request.ts";
import { type EndedStep, needsTool } from "./plan.ts";
import type { PlannedStep } from "./step.ts";

export type FinalAnswer = { readonly text: string; readonly isDone: boolean };

type MisfitRequest = Extract<Request, { kind: "misfit" }>;

/** The report on a plan: the result of each step, the reason of a failed step, and the steps not done. */
export function reportPlan(steps: readonly PlannedStep[], ended: readonly EndedStep[]): FinalAnswer {
  const isDone = ended.length === steps.length && ended.every(({ end }) => end.ok);
  const sections = ended.map((step, index) => section(step, index, steps.length));
  if (!isDone) sections.push(...notDone(steps, ended.length));
  return { text: sections.join("\n\n"), isDone };
}

function section({ words, end }: EndedStep, index: number, total: number): string {
  const heading = total > 1 ? `${index + 1}. ${words}\n` : "";
  if (end.ok) return heading + (end.text.trimEnd() || "(nothing)");
  const where = total > 1 ? `Stopped at step ${index + 1} of ${total}, "${words}"` : `Not done: "${words}"`;
  const details = end.text.trimEnd();
  const stop = /[.?!]$/.test(end.problem) ? "" : ".";
  return `${where}: ${end.problem}${stop}${details === "" ? "" : `\n${details}`}`;
}

function notDone(steps: readonly PlannedStep[], reached: number): readonly string[] {
  const left = steps.slice(reached);
  if (left.length === 0) return [];
  return [`Not done:\n${left.map(({ words }, index) => `${reached + index + 1}. ${words}`).join("\n")}`];
}

/** The answer to a plan with a step that is impossible in this session. Nothing was run. */
export function missingToolAnswer(steps: readonly PlannedStep[], index: number, tool: string): FinalAnswer {
  const step = `"${steps[index]?.words ?? ""}"`;
  const which = steps.length > 1 ? `step ${index + 1} of ${steps.length}, ${step}` : step;
  return { text: `Not done: ${which}: ${needsTool(tool)}. Nothing was run.`, isDone: false };
}

/** The answer to a request that matches no form. Nothing was run. */
export function misfitText(request: MisfitRequest, prompt: string): string {
  const { number, words, problem } = request;
  const isPart = number > 1 || clip(prompt, words.length + 1) !== words;
  const which = words === "" ? "The request" : isPart ? `Step ${number}, "${words}",` : `"${words}"`;
  const what =
    problem === undefined
      ? `${which} matches none of the forms that the engine understands.`
      : `${which}${words === "" ? "" : " was not understood"}: ${problem}.`;
  const nearest = nearestForms(words).map(({ form, example }) => `- ${example}\n  (${form.usage})`);
  return [
    "This is Quoll's offline engine, not a language model.",
    `${what} Nothing was run.`,
    "",
    "The most similar forms:",
    ...nearest,
    "",
    `"what can you do" shows all forms. For other requests, add a model: ${ADD_A_MODEL}.`,
  ].join("\n");
}

/** The same text as one line, for when the engine is only the fallback. */
export function noModelText({ words, number, problem }: MisfitRequest): string {
  const which = words === "" ? "this request" : `"${clip(words, 60)}"`;
  const why = problem === undefined ? `${which} matches none of them` : `${which}: ${problem}`;
  const step = number > 1 ? `step ${number}, ` : "";
  return `no model configured: ${ADD_A_MODEL}. The offline engine knows only the forms of "what can you do" (${step}${why}).`;
}

/** For a turn that a model began. */
export const STRANGE_TURN =
  "A model began this turn, and the offline engine cannot continue its work. Ask again for the remaining work.";
