import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import type { ChoiceAnswer, ChoiceQuestion, Reply } from "../../contracts/question.ts";

type Fields = ElicitRequestFormParams["requestedSchema"]["properties"];

const TALK = "talk";

/**
 * A form with the questions of a choice: a list of options and a line for the person's own words for each question, and
 * a line to talk about them instead. No field is required, because a question may be left out. Previews are left out,
 * because a form has no place for them.
 */
export function choiceForm(questions: readonly ChoiceQuestion[]): ElicitRequestFormParams {
  return {
    message: questions.map(({ question }) => question).join("\n"),
    requestedSchema: {
      type: "object",
      properties: {
        ...Object.assign({}, ...questions.map(fieldsOf)),
        [TALK]: {
          type: "string",
          title: "Talk about it instead",
          description: "What you want to say before you answer",
        },
      },
    },
  };
}

function fieldsOf(asked: ChoiceQuestion, at: number): Fields {
  const { question, header, options, isMultiple } = asked;
  const about = { title: question, description: describe(asked) };
  const labels = options.map(({ label }) => label);
  const titled = options.map(({ label, description }) => ({
    const: label,
    title: description === "" ? label : `${label}: ${description}`,
  }));
  return {
    [`answer${at + 1}`]: isMultiple
      ? { ...about, type: "array", items: { anyOf: titled } }
      : { ...about, type: "string", enum: labels, enumNames: titled.map(({ title }) => title) },
    [`words${at + 1}`]: { type: "string", title: `${header}: another answer` },
  };
}

function describe({ header, isMultiple }: ChoiceQuestion): string {
  return isMultiple ? `${header}: any of these` : header;
}

/** The answers of an accepted form; a form that was declined or closed answers nothing. */
export function choiceReply(
  { action, content = {} }: Pick<ElicitResult, "action" | "content">,
  questions: readonly ChoiceQuestion[],
): Reply {
  if (action !== "accept") return { decision: "reject" };
  const answers = questions.map(({ options }, at): ChoiceAnswer => {
    const given = [content[`answer${at + 1}`] ?? []].flat();
    const words = text(content[`words${at + 1}`]);
    const labels = options.map(({ label }) => label).filter((label) => given.includes(label));
    return { labels, ...(words !== "" && { words }) };
  });
  const talk = text(content[TALK]);
  return { decision: "answered", answers, ...(talk !== "" && { talk }) };
}

function text(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}
