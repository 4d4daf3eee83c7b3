import { plainText } from "@quoll/terminal-text/plain-text";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { z } from "zod";
import { InvalidInputError } from "../../../contracts/errors.ts";
import type { ChoiceOption, ChoiceQuestion } from "../../../contracts/question.ts";
import type { askUserQuestionInput } from "./ask-user-question.ts";
import type { PreviewFormat } from "./spec.ts";

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
export function readQuestions(given: readonly Given[], previews: PreviewFormat = "text"): readonly ChoiceQuestion[] {
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
