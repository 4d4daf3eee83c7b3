import { atMost } from "@quoll/async/at-most";
import { oneLine } from "@quoll/terminal-text/one-line";
import { z } from "zod";
import type { McpElicitation, McpElicitationReply } from "../../contracts/mcp.ts";
import type { Clock } from "../../contracts/ports.ts";
import type { McpServerConfig } from "./config/server-config.ts";
import type { McpLogins } from "./oauth/logins.ts";
import type { ServerLogin } from "./oauth/server-login.ts";
import { httpStatus } from "./transport/session-error.ts";

/** The error code of a call that works only after the person has visited a page (MCP, URL elicitation). */
const PAGE_NEEDED = -32042;
const MAX_PAGES = 3;
const MAX_SCOPE_COLUMNS = 100;
/**
 * The maximum wait for a server to report that the person is done at a page. The call is sent again then, or after this
 * time.
 */
const PAGE_MS = 60_000;

const pagesSchema = z.object({
  code: z.literal(PAGE_NEEDED),
  data: z.object({
    elicitations: z
      .array(z.object({ elicitationId: z.string().optional(), url: z.string(), message: z.string().catch("") }))
      .min(1),
  }),
});
type Page = z.infer<typeof pagesSchema>["data"]["elicitations"][number];

type Elicit = (request: McpElicitation, signal: AbortSignal) => Promise<McpElicitationReply>;

type Deps = {
  readonly config: McpServerConfig;
  readonly clock: Clock;
  readonly logins: McpLogins | undefined;
  /** Asks the person; undefined if nobody can be asked. */
  readonly elicit: Elicit | undefined;
};

type Refused = { readonly error: unknown; readonly login: ServerLogin | undefined };

/** Refusals of a server that a person can resolve, so that the call may be sent once more. */
export class CallRemedies {
  readonly #deps: Deps;
  /** The scopes about which the person was asked; each is asked about once. */
  readonly #askedScopes = new Set<string>();
  /** The pages at which the person is, by the server's ids. */
  readonly #open = new Map<string, () => void>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Called when the server reports that the person is done at a page. */
  completed(elicitationId: string): void {
    this.#open.get(elicitationId)?.();
  }

  /** Asks the person. Never rejects. @returns true if the call may be sent again. */
  async settle(refused: Refused, signal: AbortSignal): Promise<boolean> {
    const { elicit } = this.#deps;
    if (!elicit) return false;
    const pages = pagesSchema.safeParse(refused.error);
    const settled = pages.success
      ? this.#pagesOpened(pages.data.data.elicitations, elicit, signal)
      : this.#loggedIn(refused, elicit, signal);
    return settled.catch(() => false);
  }

  async #pagesOpened(pages: readonly Page[], elicit: Elicit, signal: AbortSignal): Promise<boolean> {
    for (const { url, message, elicitationId } of pages.slice(0, MAX_PAGES)) {
      const done = Promise.withResolvers<void>();
      if (elicitationId !== undefined) this.#open.set(elicitationId, done.resolve);
      try {
        const { action } = await elicit({ server: this.#deps.config.name, mode: "url", url, message }, signal);
        if (action !== "accept") return false;
        await atMost(done.promise, PAGE_MS, { clock: this.#deps.clock, signal });
      } finally {
        if (elicitationId !== undefined) this.#open.delete(elicitationId);
      }
    }
    return pages.length <= MAX_PAGES && !signal.aborted;
  }

  /** Step-up: a login with the scopes that the call lacks. */
  async #loggedIn({ error, login }: Refused, elicit: Elicit, signal: AbortSignal): Promise<boolean> {
    const { config, logins } = this.#deps;
    const { name: server } = config;
    const scope = httpStatus(error) === 403 ? login?.wantedScope : undefined;
    if (scope === undefined || !login || !logins || login.isUnattended || this.#askedScopes.has(scope)) return false;
    this.#askedScopes.add(scope);
    const message = `This call needs the permission ${oneLine(scope, MAX_SCOPE_COLUMNS)}, which your login lacks. Accept: Quoll opens the login page in your browser.`;
    const requestedSchema = { type: "object", properties: {} };
    const { action } = await elicit({ server, mode: "form", message, requestedSchema, isOwn: true }, signal);
    if (action !== "accept") return false;
    const given = new AbortController();
    const ends = AbortSignal.any([signal, given.signal]);
    const show = async (url: string) => {
      const message = "The login page could not be opened.";
      const page = { server, mode: "url", url, message, isOwn: true } as const;
      const reply = await elicit(page, ends).catch(() => undefined);
      if (reply?.action !== "accept") given.abort(new Error("The person did not open the login page."));
    };
    const prompt = {
      show: (address: string, isOpened: boolean) => {
        if (!isOpened) void show(address);
      },
      notify: () => undefined,
    };
    await logins.logIn(config, prompt, ends);
    login.readAgain();
    return true;
  }
}
