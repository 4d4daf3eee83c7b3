/** A page of one kind, as its generator writes it. */
export type MadePage = {
  readonly kind: string;
  readonly html: string;
  /** What a reader needs, as the Markdown must hold it. */
  readonly keep: readonly RegExp[];
  /** What surrounds the content. */
  readonly drop: readonly RegExp[];
};

/** The address of every page: relative links start here. */
export const PAGE_URL = "https://docs.example.com/guide/page";

type Frame = { readonly title: string; readonly body: string; readonly lang?: string; readonly dir?: string };

/** A document with the scripts, styles and metadata of an ordinary site. */
export function documentOf({ title, body, lang = "en", dir }: Frame): string {
  const direction = dir === undefined ? "" : ` dir="${dir}"`;
  return `<!doctype html><html lang="${lang}"${direction}><head><meta charset="utf-8"><title>${title}</title>
<meta name="description" content="A page made for a test"><link rel="canonical" href="${PAGE_URL}">
<style>.nav{color:red}</style><script>window.dataLayer=[];trackEverything("SCRIPTWORD");</script></head>
<body>${body}<script>hydrate({"props":"SCRIPTWORD"})</script></body></html>`;
}

/** Sentences that differ, so that a text has the length of a real one. */
export function prose(topic: string, sentences = 6): string {
  const forms = [
    `The ${topic} starts when the first request arrives, and it keeps its state until the last one has been answered.`,
    `Most people never change the defaults of the ${topic}, because they were measured on ordinary machines.`,
    `If the ${topic} fails, it writes one line to the log, which names the cause and the file.`,
    `A second process may read the same data, but only one ${topic} writes at a time, so that nothing is lost.`,
    `In older versions the ${topic} waited for every client, which made slow clients everybody's problem.`,
    `You can turn the ${topic} off with a setting, and the rest of the program works without it.`,
    `The numbers in this chapter come from a machine with two cores, 8 GB of memory and an ordinary disk.`,
    `Tests of the ${topic} run against a real server, which is started and stopped by the test itself.`,
  ];
  return Array.from({ length: sentences }, (_, at) => forms[at % forms.length]).join(" ");
}

/** Navigation, banner and foot of an ordinary site. */
export const SITE_NAV = `<nav class="navbar" aria-label="Main"><a href="/">NAVHOME</a><ul><li><a href="/p">NAVPRODUCTS</a></li>
<li><a href="/pricing">NAVPRICING</a></li><li><a href="/login">NAVLOGIN</a></li></ul></nav>`;
export const SITE_FOOT = `<footer class="footer"><div>FOOTCOMPANY</div><ul><li><a href="/imprint">FOOTIMPRINT</a></li><li>
<a href="/privacy">FOOTPRIVACY</a></li></ul><p>© 2026 FOOTRIGHTS</p></footer>`;
export const SITE_WORDS = [/SCRIPTWORD/, /NAVPRICING/, /FOOTIMPRINT/];
