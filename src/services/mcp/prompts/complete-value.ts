import { z } from "zod";
import type { Clock } from "../../../contracts/ports.ts";
import type { ClientSession } from "../session/client-session.ts";

/** A person is typing, and suggestions that come later are of no use. */
const WAIT_MS = 1_000;
/** The protocol allows 100. */
const MAX_VALUES = 100;
const MAX_VALUE_CHARS = 1_000;

/** Control characters can't be shown or typed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
const PRINTABLE = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]+$/;
const valueSchema = z.string().max(MAX_VALUE_CHARS).regex(PRINTABLE);
const answerSchema = z.looseObject({ completion: z.looseObject({ values: z.array(z.unknown()) }) });

/** A value that a person types: an argument of a prompt, or a variable of a resource template. */
export type TypedValue = {
  readonly of: { readonly prompt: string } | { readonly template: string };
  readonly name: string;
  readonly value: string;
  /** The known values of the other arguments or variables. */
  readonly known: Readonly<Record<string, string>>;
};

/**
 * The server's suggestions for a value (MCP, completion); empty if the server offers none or does not answer soon.
 * Never rejects.
 */
export async function completeValue(
  session: ClientSession | undefined,
  { of, name, value, known }: TypedValue,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  if (!session?.offers.completions) return [];
  const ref = "prompt" in of ? { type: "ref/prompt", name: of.prompt } : { type: "ref/resource", uri: of.template };
  const context = Object.keys(known).length === 0 ? {} : { context: { arguments: known } };
  const params = { ref, argument: { name, value }, ...context };
  const limit = new AbortController();
  const either = AbortSignal.any([signal, limit.signal]);
  const end = () => limit.abort(new Error("The server did not answer soon."));
  clock.sleep(WAIT_MS, either).then(end, () => undefined);
  try {
    const { completion } = await session.request({ method: "completion/complete", params }, answerSchema, either);
    return usable(completion.values);
  } catch {
    return [];
  } finally {
    end();
  }
}

function usable(values: readonly unknown[]): readonly string[] {
  const found = values.slice(0, MAX_VALUES).flatMap((value) => valueSchema.safeParse(value).data ?? []);
  return [...new Set(found)];
}
