import { joinedLines } from "@quoll/terminal-text/one-line";
import { plainText } from "@quoll/terminal-text/plain-text";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { z } from "zod";
import { answersIn, choiceInput, choiceOutput } from "../../../contracts/choice.ts";
import { defineTool } from "../../../contracts/define-tool.ts";
import { InvalidInputError, PermissionDeniedError, type Refusal } from "../../../contracts/errors.ts";
import { decidedByHook, type PermissionAnswer } from "../../../contracts/hook.ts";
import { isJsonObject, type JsonObject } from "../../../contracts/message.ts";
import type { PermissionRequest } from "../../../contracts/permission.ts";
import type { ChoiceAnswer, ChoiceBody, ChoiceOption, ChoiceQuestion, Reply } from "../../../contracts/question.ts";
import { type Tool, type ToolCall, type ToolContext, type ToolResult, textResult } from "../../../contracts/tool.ts";
import { type PreviewFormat, askUserQuestionSpec as spec } from "./spec.ts";

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

export type AskUserQuestionDeps = {
  /** The form of previews; by default text. */
  readonly previews?: PreviewFormat;
  /**
   * Asks the hooks that may answer in place of a person.
   * @returns undefined if no hook is registered for it.
   */
  hookAnswer(request: PermissionRequest, signal: AbortSignal): Promise<PermissionAnswer | undefined> | undefined;
};

type Answered = Extract<Reply, { readonly decision: "answered" }>;
type Asking = { readonly questions: readonly ChoiceQuestion[]; readonly context: ToolContext };

/**
 * Asks the person one to four questions and tells the model the answers. A hook may answer instead, before the call
 * (its changed input has the answers) or in place of the person. Where nobody can answer, the model is told at once.
 */
export function askUserQuestionTool(deps: AskUserQuestionDeps): Tool {
  const prepare = (raw: JsonObject, context: ToolContext): Promise<ToolCall> => {
    const { modelInput } = context;
    // A hook may send answers alone. Only questions are taken from the model, because it can't answer its own.
    const whole = isJsonObject(modelInput) ? { questions: modelInput["questions"], ...raw } : raw;
    return defineTool(spec, askUserQuestionInput, async (input) => {
      const asking = { questions: readQuestions(input.questions, deps.previews), context };
      const given = modelInput === undefined ? undefined : answersIn(raw, asking.questions);
      return {
        level: "none",
        concurrencySafe: false,
        subjects: [],
        title: asking.questions.map(({ header }) => header).join(", "),
        run: async () => answered(given ?? (await ask(asking, deps)), asking),
      };
    }).prepare(whole, context);
  };
  return { spec, prepare };
}

function answered(reply: Answered | undefined, { questions }: Asking): ToolResult {
  const output = choiceOutput(questions, reply);
  if (!reply)
    return textResult(NOBODY_ANSWERS, { display: { kind: "summary", text: "nobody can answer here", output } });
  return textResult(answeredText(questions, reply), {
    display: { kind: "summary", text: summaryOf(questions, reply), output },
  });
}

/**
 * @returns undefined if nobody can answer.
 * @throws {PermissionDeniedError} a hook, a program or the person closed the questions.
 */
async function ask(asking: Asking, deps: AskUserQuestionDeps): Promise<Answered | undefined> {
  const { questions, context } = asking;
  const byHook = await askHooks(asking, deps);
  if (byHook) return byHook;
  if (!context.ask.canAsk) return undefined;
  const call = { toolUseId: context.toolUseId, toolName: spec.name };
  const body: ChoiceBody = { kind: "choice", call, questions };
  const title = questions.map(({ header }) => header).join(", ");
  const reply = await context.ask.ask({ title, body }, context.signal);
  if (reply.decision === "answered") return reply;
  if (reply.decision === "reject")
    throw declined(reply.message, { decidedBy: { kind: "person" }, endsTurn: reply.endsTurn });
  // A program allowed the call without an answer.
  return { decision: "answered", answers: questions.map(() => ({ labels: [] })) };
}

async function askHooks(asking: Asking, { hookAnswer }: AskUserQuestionDeps): Promise<Answered | undefined> {
  const { questions, context } = asking;
  const { toolUseId, signal } = context;
  const input = choiceInput(questions);
  const call: ToolCall = { ...UNTOUCHING, input };
  const answer = await hookAnswer({ toolUseId, toolName: spec.name, call }, signal);
  signal.throwIfAborted();
  if (answer?.behavior === "deny") {
    throw declined(answer.reason, { decidedBy: decidedByHook(answer), endsTurn: answer.endsTurn });
  }
  return answer?.updatedInput && answersIn(answer.updatedInput, questions);
}

/** What hooks may match of the call, which touches nothing. */
const UNTOUCHING: Omit<ToolCall, "input"> = {
  level: "none",
  concurrencySafe: false,
  subjects: [],
  title: spec.name,
  corrections: [],
  run: async () => textResult(""),
};

function declined(message: string | undefined, refusal: Refusal): PermissionDeniedError {
  const words = message?.trim();
  const why = words ? `Closed without an answer: ${words}` : "The user closed the questions without an answer.";
  return new PermissionDeniedError(why, refusal);
}

const HEADER_COLUMNS = 12;
const MAX_CHARS = { question: 1_000, header: 100, label: 100, description: 500, preview: 10_000 } as const;
type TextField = keyof typeof MAX_CHARS;

type Given = z.infer<typeof askUserQuestionInput>["questions"][number];

/** Parts of HTML that could change the page that shows a preview, or run code in it. */
const UNSAFE_HTML = /<(?:script|style|!doctype)\b/i;

/**
 * The questions as a person is asked them. A long header is cut, because only its look suffers.
 * @throws {InvalidInputError} a text would control the terminal, a preview is no fragment of HTML, or two questions or
 * options can't be told apart.
 */
function readQuestions(given: readonly Given[], previews: PreviewFormat = "text"): readonly ChoiceQuestion[] {
  const questions = given.map((one, at) => readQuestion(one, at, previews));
  const twice = repeated(questions.map(({ question }) => question));
  if (twice !== undefined) throw new InvalidInputError(`Two questions have the same text: "${twice}". Ask each once.`);
  return questions;
}

function readQuestion(given: Given, at: number, previews: PreviewFormat): ChoiceQuestion {
  const place = `questions[${at}]`;
  const question = plain(given.question, "question", place);
  const header = truncateText(plain(joined(given.header), "header", place), HEADER_COLUMNS);
  const options = given.options.map(({ label, description = "", preview }, index): ChoiceOption => {
    const option = `${place}.options[${index}]`;
    const hasPreview = previews !== "none" && preview !== undefined && preview.trim() !== "";
    if (hasPreview && previews === "html" && UNSAFE_HTML.test(preview))
      throw new InvalidInputError(`\`${option}.preview\` must be a fragment: no <script>, <style> or <!DOCTYPE>.`);
    return {
      label: plain(joined(label), "label", option),
      description: plain(description, "description", option),
      ...(hasPreview && { preview: limited(preview, "preview", option) }),
    };
  });
  const twice = repeated(options.map(({ label }) => label));
  if (twice !== undefined) throw new InvalidInputError(`${place} has two options "${twice}": give each another label.`);
  return { question, header, options, isMultiple: given.multiSelect ?? false };
}

function joined(text: string): string {
  return text.replace(/\s+/g, " ");
}

function plain(text: string, field: TextField, place: string): string {
  const usual = limited(text.replaceAll("\r\n", "\n").replaceAll("\t", " "), field, place);
  if (plainText(usual) !== usual)
    throw new InvalidInputError(`\`${place}.${field}\` has control or hidden characters: write plain text.`);
  return usual;
}

function limited(text: string, field: TextField, place: string): string {
  const max = MAX_CHARS[field];
  if (text.length <= max) return text;
  throw new InvalidInputError(`\`${place}.${field}\` has ${text.length} characters: at most ${max} fit.`);
}

/** The first text that another one repeats, but for case. */
function repeated(texts: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return texts.find((text) => {
    const folded = text.toLowerCase();
    const isRepeated = seen.has(folded);
    seen.add(folded);
    return isRepeated;
  });
}

const NOBODY_ANSWERS =
  "Nobody can answer questions in this run. Decide yourself what fits the task best, go on, and state in your answer what you assumed.";
const LEFT_OUT = "no answer: decide yourself, and say what you assumed";

/** The answers in words for the model. */
function answeredText(questions: readonly ChoiceQuestion[], { answers, talk }: Answered): string {
  const given = questions.flatMap((question, at) => {
    const words = wordsOf(answers[at]);
    return words === "" && talk !== undefined ? [] : [`- ${question.question} ${words === "" ? LEFT_OUT : words}`];
  });
  if (talk === undefined) return ["The user answered:", ...given].join("\n");
  const said = talk === "" ? "." : `, and says: ${JSON.stringify(talk)}`;
  return [
    `The user wants to talk about this before answering${said}`,
    ...(given.length > 0 ? ["Answered so far:", ...given] : []),
    `${talk === "" ? "Ask in plain words what is open for them" : "Reply to that in plain words"}, and end your turn there. Ask with options again only once they have replied.`,
  ].join("\n");
}

/** One line for each question, for the person's screen. */
function summaryOf(questions: readonly ChoiceQuestion[], { answers, talk }: Answered): string {
  const lines = questions.map(({ header }, at) => {
    const { labels = [], words = "" } = answers[at] ?? {};
    const shown = [...labels, ...(words === "" ? [] : [joinedLines(words)])].join(", ");
    return `${header}: ${shown === "" ? "no answer" : shown}`;
  });
  if (talk === undefined) return lines.join("\n");
  return talk === "" ? "you want to talk about it" : `you said: ${joinedLines(talk)}`;
}

function wordsOf({ labels, words = "" }: ChoiceAnswer = { labels: [] }): string {
  const own = words === "" ? "" : `in their own words: ${JSON.stringify(words)}`;
  return [labels.join(", "), own].filter((part) => part !== "").join("; ");
}
