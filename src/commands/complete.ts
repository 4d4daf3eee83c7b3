import type { ArgumentCompletion } from "../contracts/command.ts";

const MOST = 50;

/**
 * The arguments that continue a typed argument: first those that begin with it, then those whose name or meaning
 * contains its words, which the person must select.
 */
export function continuing(
  typed: string,
  all: readonly { readonly value: string; readonly summary: string }[],
): readonly ArgumentCompletion[] {
  const wanted = typed.toLowerCase();
  const words = wanted.split(/\s+/).filter(Boolean);
  const begins = all.filter(({ value }) => value.toLowerCase().startsWith(wanted));
  const has = ({ value, summary }: { readonly value: string; readonly summary: string }) =>
    words.every((word) => `${value} ${summary}`.toLowerCase().includes(word));
  const others = all
    .filter((one) => !begins.includes(one) && has(one))
    .map((one) => ({ ...one, isGuess: true as const }));
  return [...begins, ...others].slice(0, MOST);
}

/** After a verb is typed, offers names; before that, the verbs follow the names. */
export function withVerbs(
  typed: string,
  names: readonly { readonly value: string; readonly summary: string }[],
  verbs: Readonly<Record<string, string>>,
): readonly ArgumentCompletion[] {
  const [verb = "", ...rest] = typed.split(" ");
  if (rest.length > 0 && Object.hasOwn(verbs, verb)) {
    return continuing(
      typed,
      names.map(({ value, summary }) => ({ value: `${verb} ${value}`, summary })),
    );
  }
  const all = Object.entries(verbs).map(([value, summary]) => ({ value, summary }));
  return continuing(typed, [...names, ...all]);
}
