import type { Content, FunctionCall, FunctionResponse } from "./request.ts";
import type { Rule } from "./rule.ts";

/** The API's own bound. Source: its reference, FunctionDeclaration. */
export const FUNCTION_NAME = /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/;

const isCall = (call: FunctionCall | undefined): call is FunctionCall => call !== undefined;
const isResponse = (response: FunctionResponse | undefined): response is FunctionResponse => response !== undefined;

export function callsOf(content: Content | undefined): readonly FunctionCall[] {
  return (content?.parts ?? []).map(({ functionCall }) => functionCall).filter(isCall);
}

export function responsesOf(content: Content | undefined): readonly FunctionResponse[] {
  return (content?.parts ?? []).map(({ functionResponse }) => functionResponse).filter(isResponse);
}

export const callsAreTheModels: Rule = ({ contents }, report) => {
  for (const [index, content] of contents.entries()) {
    if (content.role !== "model" && callsOf(content).length > 0)
      report(`contents[${index}]`, "a function call can stand in a turn of the model only");
    if (content.role === "model" && responsesOf(content).length > 0)
      report(`contents[${index}]`, "a function response can stand in a turn of the user only");
  }
};

export const callsAndResponsesAreWhole: Rule = ({ contents }, report) => {
  for (const [index, { parts = [] }] of contents.entries()) {
    for (const [place, { functionCall: call, functionResponse: response }] of parts.entries()) {
      const where = `contents[${index}].parts[${place}]`;
      if (call && !FUNCTION_NAME.test(call.name ?? ""))
        report(`${where}.function_call.name`, `${JSON.stringify(call.name ?? "")} is not a valid function name`);
      if (response && !FUNCTION_NAME.test(response.name ?? ""))
        report(
          `${where}.function_response.name`,
          `${JSON.stringify(response.name ?? "")} is not a valid function name`,
        );
      if (response && response.response === undefined)
        report(`${where}.function_response.response`, "required field is missing");
    }
  }
};

export const callTurnsFollowTheUser: Rule = ({ contents }, report) => {
  for (const [index, content] of contents.entries()) {
    if (callsOf(content).length === 0 || contents[index - 1]?.role === "user") continue;
    report(
      `contents[${index}]`,
      "please ensure that function call turn comes immediately after a user turn or after a function response turn",
    );
  }
};

export const responseTurnsFollowCalls: Rule = ({ contents }, report) => {
  for (const [index, content] of contents.entries()) {
    if (responsesOf(content).length === 0 || callsOf(contents[index - 1]).length > 0) continue;
    report(
      `contents[${index}]`,
      "please ensure that function response turn comes immediately after a function call turn",
    );
  }
};

const namesOf = (items: readonly { readonly name?: string }[]) =>
  items
    .map(({ name }) => name ?? "")
    .toSorted()
    .join(", ");

/** The content after the calls must answer each call once, by its name. */
export const callsAreAnswered: Rule = ({ contents }, report) => {
  for (const [index, content] of contents.entries()) {
    const calls = callsOf(content);
    if (calls.length === 0) continue;
    const responses = responsesOf(contents[index + 1]);
    const where = `contents[${index}]`;
    if (responses.length !== calls.length) {
      const counts = `(${responses.length} for ${calls.length})`;
      report(
        where,
        `please ensure that the number of function response parts is equal to the number of function call parts of the function call turn ${counts}`,
      );
    } else if (namesOf(responses) !== namesOf(calls)) {
      report(where, `calls of ${namesOf(calls)} are answered by responses of ${namesOf(responses)}`);
    }
  }
};

/** A response has the id of a call of its own name, and each id is used once; without an id in the call it has none. */
export const responseIdsMatch: Rule = ({ contents }, report) => {
  for (const [index, content] of contents.entries()) {
    const open = [...callsOf(contents[index - 1])];
    if (open.length === 0) continue;
    for (const [place, { functionResponse: response }] of (content.parts ?? []).entries()) {
      if (!response) continue;
      const match = open.findIndex(({ id, name }) => id === response.id && name === response.name);
      if (match >= 0) open.splice(match, 1);
      else
        report(
          `contents[${index}].parts[${place}].function_response.id`,
          `${JSON.stringify(response.id ?? "")} is not the id of an open call of ${response.name}`,
        );
    }
  }
};

export const callIdsAreUnique: Rule = ({ contents }, report) => {
  const seen = new Set<string>();
  for (const [index, content] of contents.entries()) {
    for (const { id } of callsOf(content)) {
      if (id === undefined) continue;
      if (seen.has(id)) report(`contents[${index}]`, `the function call id ${JSON.stringify(id)} was used before`);
      seen.add(id);
    }
  }
};
