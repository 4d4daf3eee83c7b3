import { tableLines } from "@quoll/terminal-text/table-lines";
import { padText } from "@quoll/terminal-text/truncate-text";
import { openCredentials } from "../../app/open-credentials.ts";
import { didYouMean } from "../../contracts/did-you-mean.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { isSearchService, SEARCH_SERVICES } from "../../contracts/search-services.ts";
import { directories } from "../../platform/directories.ts";
import { environment } from "../../platform/env.ts";
import { host, printError, printProblem } from "../../platform/host.ts";
import { type HiddenLine, readHiddenLine } from "../../platform/read-hidden-line.ts";
import { printLine } from "../../platform/standard-output.ts";
import { readStdin } from "../../platform/stdin.ts";
import {
  checkEndpoint,
  checkKey,
  checkProviderName,
  keyAsArgument,
  maskKey,
} from "../../services/credentials/check-credential.ts";
import type { CredentialStatus, CredentialStore, Saved } from "../../services/credentials/credential-store.ts";
import { VENDOR_NAMES, vendorName } from "../../services/provider/vendors.ts";
import { projectHere } from "../project-here.ts";
import { abortAtSignal } from "../signals.ts";

/** Longer than any key, so that the message about a wrong input can still say how it is wrong. */
const MAX_STDIN_BYTES = 64 * 1024;
/** A helper that pipes the key may first ask the person for a password. */
const STDIN_WAIT_MS = 120_000;
const CANCELLED_EXIT_CODE = 130;

/** The options of `quoll auth login`. Quoll never accepts keys from the command line. */
export type LoginOptions = Readonly<Record<"key" | "apiKey" | "token", string | undefined>> & {
  readonly keyStdin?: true;
  readonly endpoint?: string;
};

/** `quoll auth login`: sends nothing to a provider. @param words Further arguments, one of which may be a key. */
export async function login(given: string, words: readonly string[], options: LoginOptions): Promise<number> {
  const { keyStdin = false, endpoint: address, key: first, apiKey, token } = options;
  if (words.length > 0 || [first, apiKey, token].some((value) => value !== undefined)) throw keyAsArgument();
  const provider = providerNamed(given);
  const endpoint = address === undefined ? undefined : checkEndpoint(address);
  if (!endpoint) await assertKnown(provider);
  const typed = endpoint && !keyStdin ? { kind: "none" as const } : await readKey(provider, keyStdin);
  if (typed.kind === "cancelled") return CANCELLED_EXIT_CODE;
  const key = typed.kind === "line" ? checkKey(typed.text) : undefined;
  const store = storeWithoutSettings();
  const saved = await store.save(provider, {
    ...(key !== undefined && { key }),
    ...(endpoint && { endpoint: endpoint.url }),
  });
  printLine(savedLine(provider, saved, key, endpoint?.url));
  if (endpoint?.isOpen)
    printProblem(`requests to ${endpoint.url} are not encrypted: others on the network can read them and the key`);
  const { source, from } = await store.status(provider);
  if (key !== undefined && source === "variable")
    printProblem(`${from} is set, and takes precedence over the saved key`);
  return 0;
}

/** `quoll auth logout`. */
export async function logout(given: string): Promise<number> {
  const provider = providerNamed(given);
  const store = storeWithoutSettings();
  const wasThere = await store.remove(provider);
  printLine(wasThere ? `Removed the saved key and address of ${provider}.` : `Nothing was saved for ${provider}.`);
  const { source, from } = await store.status(provider);
  if (source === "variable") printProblem(`${from} is still set, and gives access to ${provider}`);
  return 0;
}

/** `quoll auth status`: where the key of each provider comes from. */
export async function status({ json: asJson = false }: { json?: boolean }): Promise<number> {
  const { env, own, machine, settings } = await projectHere({}, printProblem);
  const store = openCredentials({ env, own, os: machine.os, settings });
  const names = new Set([
    ...VENDOR_NAMES,
    ...SEARCH_SERVICES,
    ...Object.keys(settings.providers ?? {}),
    ...store.list(),
  ]);
  const all: CredentialStatus[] = [];
  for (const name of names) all.push(await store.status(name));
  if (asJson) {
    printLine(JSON.stringify(all, null, 2));
    return 0;
  }
  const shown = all.filter(({ source, problem }) => source !== "none" || problem !== undefined);
  if (shown.length === 0) printLine("No provider has a key here. `quoll auth login <provider>` saves a key.");
  else for (const line of table(shown)) printLine(line);
  return 0;
}

function table(rows: readonly CredentialStatus[]): readonly string[] {
  const cells = rows.map(({ provider, key, from, source, endpoint, problem }) => {
    const origin = problem ?? (source === "helper" ? `helper: ${from}` : from);
    return [provider, padText(key ?? "-", 5), endpoint === undefined ? origin : `${origin}  at ${endpoint}`];
  });
  return tableLines(cells);
}

/** The provider's canonical name, under which its key is saved: `gemini` becomes `google`. */
function providerNamed(text: string): string {
  const name = checkProviderName(text);
  return vendorName(name) ?? name;
}

/** A project's settings do not affect where a key is saved. */
function storeWithoutSettings(): CredentialStore {
  const env = environment();
  return openCredentials({ env, own: directories(env), os: host().os });
}

/** @throws {UserFacingError} (exit 2) no such provider: a key saved under a wrong name would never be found. */
async function assertKnown(provider: string): Promise<void> {
  if (VENDOR_NAMES.includes(provider) || isSearchService(provider)) return;
  const { settings } = await projectHere();
  const names = [
    ...VENDOR_NAMES,
    ...SEARCH_SERVICES,
    ...Object.keys(settings.providers ?? {}),
    ...storeWithoutSettings().list(),
  ];
  if (names.includes(provider)) return;
  const hint = didYouMean(provider, names, `There are ${names.join(", ")}.`);
  throw new UserFacingError(
    `There is no provider "${provider}". ${hint} For your own provider, add --endpoint <url>.`,
    2,
  );
}

async function readKey(provider: string, keyStdin: boolean): Promise<HiddenLine> {
  if (keyStdin) return { kind: "line", text: await pipedKey() };
  if (!process.stdin.isTTY) {
    throw new UserFacingError(
      `There is no terminal to ask in; pipe the key: quoll auth login ${provider} --key-stdin < file.`,
      2,
    );
  }
  using signals = abortAtSignal();
  const prompt = `Key for ${provider} (not shown): `;
  const read = await readHiddenLine(prompt, { input: process.stdin, output: process.stderr }, signals.signal);
  if (read.kind === "cancelled") printError("quoll: cancelled; nothing was saved");
  return read;
}

async function pipedKey(): Promise<string> {
  if (process.stdin.isTTY) {
    throw new UserFacingError("--key-stdin: stdin is a terminal; leave the option out to be asked.", 2);
  }
  const read = await readStdin(process.stdin, { maxBytes: MAX_STDIN_BYTES, firstByteMs: STDIN_WAIT_MS });
  if (read.kind === "text") return read.text;
  const problem =
    read.kind === "silent" ? `no key arrived within ${STDIN_WAIT_MS / 1_000} s` : "the input is too long for a key";
  throw new UserFacingError(`--key-stdin: ${problem}: nothing was saved.`, 2);
}

/** Tells the person which key was saved where. */
export function savedLine(
  provider: string,
  saved: Saved,
  key: string | undefined,
  endpoint: string | undefined,
): string {
  const what = [
    ...(key === undefined ? [] : [`the key ${maskKey(key)}`]),
    ...(endpoint === undefined ? [] : [`the endpoint ${endpoint}`]),
  ].join(" and ");
  const where = saved.source === "keyring" ? saved.from : `${saved.from}, for you alone`;
  const why = saved.note === undefined ? "" : ` (${saved.note})`;
  return `Saved ${what} for ${provider} in ${where}${why}.`;
}
