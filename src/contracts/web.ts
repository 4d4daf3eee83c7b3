import type { ImageMediaType } from "./message.ts";

export const WEB_FETCH = "WebFetch";
export const WEB_SEARCH = "WebSearch";
/** The element that marks text of a web page for the model. */
export const WEB_TAG = "web-material";

/** An address that a page may have, checked. */
export type WebAddress = {
  /** As it is requested: with an ASCII host and without a user name. */
  readonly url: string;
  /** As rules name it: in lower case, without a dot at its end, IPv6 in brackets. */
  readonly host: string;
  /**
   * `number`: a public address in numbers. `private-number`: an address of this machine, of its networks or of a link.
   * `local-name`: a name that no public name server resolves. `name`: a name that is judged when it is resolved.
   */
  readonly kind: "name" | "number" | "local-name" | "private-number";
};

/** A heading, or another place to go on reading. */
export type OutlineItem = {
  /** In characters of the document's text. */
  readonly offset: number;
  readonly level: number;
  readonly text: string;
};

/** The content of an address. */
export type WebDocument = {
  readonly kind: "document";
  /** The address from which it came, after redirects. */
  readonly url: string;
  readonly title: string;
  /** Without parameters: `text/html`. */
  readonly mediaType: string;
  /** Markdown of a page, or a text as the server sent it. */
  readonly text: string;
  readonly outline: readonly OutlineItem[];
  /** Notes for a reader of the text, a sentence each. */
  readonly notes: readonly string[];
  /** Milliseconds since the epoch. */
  readonly fetchedAtMs: number;
  /** True if it was read earlier in this session and no request was sent. */
  readonly isKept: boolean;
};

export type WebImage = {
  readonly kind: "image";
  readonly url: string;
  readonly bytes: Buffer;
  readonly mediaType: ImageMediaType;
};

/** A redirect that was not followed. */
export type WebRedirect = {
  readonly kind: "redirect";
  readonly from: string;
  readonly target: string;
  readonly status: number;
  /** A phrase: `it is another host`. */
  readonly why: string;
};

export type WebAnswer = WebDocument | WebImage | WebRedirect;

/** Reads pages of the web, without cookies and credentials. */
export interface WebReader {
  /** @throws {InvalidInputError} no page can have this address. */
  address(written: string): WebAddress;
  /**
   * @param isNamed True if an allow rule names exactly this host: only then may it be local or private.
   * @throws {ToolFailedError} nothing could be read, as one line.
   * @throws the abort reason of `signal`.
   */
  read(address: WebAddress, isNamed: (host: string) => boolean, signal: AbortSignal): Promise<WebAnswer>;
}

/** A search, with at most one of the two lists. */
export type WebSearchQuery = {
  readonly query: string;
  /** Only results of these hosts and of those below them; in lower case. */
  readonly allowedDomains?: readonly string[];
  /** No results of these hosts and of those below them; in lower case. */
  readonly blockedDomains?: readonly string[];
};

export type WebResult = {
  readonly title: string;
  readonly url: string;
  /** As the source says it: `2 days ago`, `2026-11-02`. */
  readonly age?: string;
  /** Text of the page. */
  readonly snippet?: string;
};

/** What was found, without escape sequences and hosts that were not wanted. */
export type WebSearchAnswer = Omit<WebSearchReport, "results"> & {
  /** With the numbers that the text gives them. */
  readonly results: readonly (WebResult & { readonly number: number })[];
  /** Results of hosts that were not wanted. */
  readonly leftOut: number;
  /** Who searched: `Brave Search`. */
  readonly by: string;
  /** The model that wrote the text. */
  readonly model?: string;
};

export type WebSearchReport = {
  readonly results: readonly WebResult[];
  /** What a model read in the results, with its citations; empty if no model took part. */
  readonly text: string;
  /** The searches that were made. */
  readonly searches: number;
  /** Why there may be no results, as a sentence. */
  readonly fault?: string;
};
