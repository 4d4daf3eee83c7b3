import type { Report } from "../../shape.ts";
import type { Content, Part } from "./request.ts";
import type { Rule } from "./rule.ts";

const ROLES = ["user", "model"];
const DATA_FIELDS = ["text", "inlineData", "fileData", "functionCall", "functionResponse"] as const;

export const contentsAreGiven: Rule = ({ contents }, report) => {
  if (contents.length === 0) report("contents", "contents is not specified");
};

/** The role may be omitted if there is only one content. */
export const rolesAreKnown: Rule = ({ contents }, report) => {
  for (const [index, { role }] of contents.entries()) {
    if (role === undefined && contents.length === 1) continue;
    if (!ROLES.includes(role ?? "")) report(`contents[${index}].role`, "please use a valid role: user, model");
  }
};

/** Source: refusals that clients of the real API have reported. */
export const rolesAlternate: Rule = ({ contents }, report) => {
  for (const [index, { role }] of contents.entries()) {
    if (index > 0 && role === contents[index - 1]?.role)
      report(`contents[${index}].role`, "please ensure that multiturn requests alternate between user and model");
  }
};

function judgePart(part: Part, where: string, report: Report): void {
  const given = DATA_FIELDS.filter((field) => part[field] !== undefined);
  const isBlank = part.text === "" && part.thoughtSignature === undefined;
  if (given.length > 1) report(where, `oneof field 'data' is set more than once: ${given.join(", ")}`);
  else if (given.length === 0 || isBlank)
    report(`${where}.data`, "required oneof field 'data' must have one initialized field");
}

function judgeParts({ parts = [] }: Content, where: string, report: Report): void {
  if (parts.length === 0) report(`${where}.parts`, "contents.parts must not be empty");
  for (const [index, part] of parts.entries()) judgePart(part, `${where}.parts[${index}]`, report);
}

/**
 * Every part has exactly one kind of content. Empty text does not count, except for the signature that it may carry.
 */
export const partsHaveData: Rule = ({ contents, request: { systemInstruction } }, report) => {
  if (systemInstruction) judgeParts(systemInstruction, "system_instruction", report);
  for (const [index, content] of contents.entries()) judgeParts(content, `contents[${index}]`, report);
};

export const systemInstructionIsText: Rule = ({ request: { systemInstruction } }, report) => {
  for (const [index, part] of (systemInstruction?.parts ?? []).entries()) {
    if (part.text === undefined) report(`system_instruction.parts[${index}]`, "a system instruction holds text only");
  }
};

export const thoughtsAreTheModels: Rule = ({ contents }, report) => {
  for (const [index, { role, parts = [] }] of contents.entries()) {
    const stray = role === "model" ? -1 : parts.findIndex(({ thought }) => thought);
    if (stray >= 0) report(`contents[${index}].parts[${stray}]`, "a thought can stand in a turn of the model only");
  }
};
