/** Phrases that have one meaning only. Sources: the documentation of these servers, and error texts that users report. */
const PHRASES: readonly RegExp[] = [
  // Anthropic, Bedrock, Vertex
  /prompt is too long|input is too long|input length and max tokens exceed|exceed\w* (the |this |its )?(model( s)? )?(maximum |max )?context (limit|length|window|size)/i,
  // OpenAI, DeepSeek, OpenRouter, vLLM, Groq
  /context length exceeded|maximum context length|(maximum|max) model length|exceeds the context window|reduce the length of the (messages|input|prompt)/i,
  // Google
  /input token count .*exceeds the maximum|exceeds the maximum number of tokens allowed/i,
  // xAI, Mistral, Text Generation Inference
  /maximum prompt length is \d+|too (large|long) for model with \d|inputs? tokens \+ max new tokens must be/i,
  // llama.cpp, LM Studio
  /exceeds? (the )?(available )?context size|context (length|window|size) (of|is) (only )?\d+|greater than the context length|context the overflows/i,
];
/** Also of limits per minute. */
const REQUEST_TOO_LARGE = /request too large/i;
/** Zhipu, Baidu, Tencent, Volcengine: the length, the context, the input or the tokens "exceed" or are "over long". */
const CHINESE =
  /超长|(长度|上下文|输入|提示词|tokens?)[^。]{0,20}超(过|出|限)|超(过|出)[^。]{0,20}(长度|上下文|tokens?)/i;
/** Limits of time and money, which a shorter prompt does not change. */
const OTHER_LIMIT =
  /\bper (second|min(ute)?|hour|day|week|month)\b|\b(daily|weekly|monthly)\b|\b[rt]p[mds]\b|\brate limit|\bquota\b|\bcredits?\b|\bbalance\b|\bbilling\b|\bexpired?\b|\bplease wait\b/i;
/** Parameters with a limit in tokens that does not limit the prompt. */
const PARAMETER =
  /\b(max|maximum|min) ((completion|output|new|generated|response) )?tokens?\b|\b(budget|reasoning|thinking|completion|output|response|generated) tokens?\b/i;
/** Parts of a request with a limit of their own. */
const OTHER_PART =
  /\b(tools?|functions?|descriptions?|metadata|schema|call id|stop sequences?|headers?|cookies?|api key)\b|\.(name|id|url|role|type|format)\b/i;
/** A clause that names these is about the prompt, whatever else it names. */
const PROMPT = /\b(prompts?|conversation|history)\b/i;
/** FastAPI calls the value of any field `Input`. */
const FIELD_VALUE = /\binput should\b/gi;

/** Short sentences without a measure or without a part. */
const SHORT =
  /\b(prompts?|conversation|messages?|inputs?|context|history)( is| are| was| were)? (too|over) ?(long|large|big)\b|\btoo many (input |prompt |total )?tokens\b|\btokens? limit (is |was |has been )?(reached|exceeded)\b|\b(context|prompt) overflow/i;
const WHAT =
  /\b(prompts?|inputs?|context|conversation|messages?|history|sequence|requests?|content|text|body|payload)\b/i;
const TOO_MUCH =
  /\bexceed|\boverflow|\btoo (long|large|many|big)\b|\b(longer|larger|greater|bigger|more) than\b|\b(over|above|beyond) (the|its|our)\b|\b(must|should|can|may) (not|be|have|contain) .{0,20}(less|fewer|at most|no more|within|shorter|smaller|<|≤|\[\d)|\bshould be (less|within|at most|\[\d)|\bcannot be (longer|larger)\b|\bsupports? (only )?up to\b|\b(max|maximum)\b.{0,40}\bis \d|\bat most [\d,]+|\b(reduce|shorten)\b/i;
const MEASURE = /\b(lengths?|tokens?|context|window|characters?|chars|size|bytes|seq len)\b/i;
const LIMIT = /\b(limit|supports|max|maximum|allowed|exceed\w*|too (long|large|many))\b/i;
const SIZE = /\b(lengths?|tokens?|context|window)\b/i;

/** A smaller number is a code, a position, or the limit of a short field. */
const MIN_SIZE = 1_000;
/** An estimate of the sent tokens may be wrong by this factor. */
const ESTIMATE_FACTOR = 2;

/**
 * True if a server says that the prompt is too long, in whatever words: a known phrase; or a clause in which a part of
 * the prompt is more than a length allows; or words about a limit with a number near the size of the request.
 * @param words The error's type, code and message.
 * @param sentTokens The estimated input tokens of the refused request, if known.
 */
export function saysTooLong(words: string, sentTokens?: number): boolean {
  const text = plain(words);
  if (PHRASES.some((phrase) => phrase.test(text))) return true;
  if (OTHER_LIMIT.test(text)) return false;
  if (CHINESE.test(text) || REQUEST_TOO_LARGE.test(text)) return true;
  return clauses(text).some((clause) => SHORT.test(clause) || isTooMuch(clause) || isNearlySent(clause, sentTokens));
}

/** Names of fields as words, without addresses of pages. */
function plain(words: string): string {
  return words
    .replace(/https?:\/\/\S+/g, " ")
    .replace(/(?<=\w)(\.\d+|\[\d+\])/g, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[_`'"-]+/g, " ")
    .replace(/\s+/g, " ");
}

function clauses(text: string): readonly string[] {
  return text.split(/[.;!?](?=\s|$)|\n/).filter((clause) => !isElsewhere(clause));
}

function isElsewhere(clause: string): boolean {
  return !PROMPT.test(clause) && (PARAMETER.test(clause) || OTHER_PART.test(clause));
}

function isTooMuch(clause: string): boolean {
  const text = clause.replace(FIELD_VALUE, "value should");
  const much = TOO_MUCH.exec(text);
  if (!much || !WHAT.test(text) || !MEASURE.test(text)) return false;
  const numbers = numbersIn(text.slice(much.index));
  return numbers.length === 0 || Math.max(...numbers) >= MIN_SIZE;
}

function isNearlySent(clause: string, sentTokens: number | undefined): boolean {
  if (sentTokens === undefined || !SIZE.test(clause) || !LIMIT.test(clause)) return false;
  return numbersIn(clause).some(
    (number) => number >= Math.max(MIN_SIZE, sentTokens / ESTIMATE_FACTOR) && number <= sentTokens * ESTIMATE_FACTOR,
  );
}

function numbersIn(text: string): readonly number[] {
  return [...text.matchAll(/\d[\d,]*/g)].map(([digits]) => Number(digits.replaceAll(",", "")));
}
