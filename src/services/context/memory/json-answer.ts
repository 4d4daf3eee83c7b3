/**
 * The JSON array in a model's answer, which may be surrounded by text or a fence.
 * @throws {Error} the answer contains no JSON array.
 */
export function arrayInAnswer(answer: string): unknown {
  const [from, to] = [answer.indexOf("["), answer.lastIndexOf("]")];
  if (from < 0 || to < from) throw new Error("the model's answer contains no list");
  try {
    return JSON.parse(answer.slice(from, to + 1));
  } catch {
    throw new Error("the model's answer is not valid JSON");
  }
}
