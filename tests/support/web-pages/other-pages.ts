import { documentOf, type MadePage, prose, SITE_FOOT, SITE_NAV, SITE_WORDS } from "./page.ts";

const comment = (author: string, body: string) =>
  `<div class="TimelineItem js-comment-container"><div class="timeline-comment"><div class="timeline-comment-header"><a class="author" href="/${author}">${author}</a> commented <relative-time>Mar 1, 2026</relative-time></div>
<div class="comment-body markdown-body">${body}</div><div class="reactions"><button>👍 3</button></div></div></div>`;
const answer = (votes: number, body: string) =>
  `<div class="answer"><div class="votecell"><div class="js-vote-count">${votes}</div></div><div class="answercell post-layout--right"><div class="s-prose js-post-body">${body}</div>
<div class="comments"><ul><li class="comment"><span class="comment-copy">Worked for me, thanks to flag -x.</span> – <a href="/u/2">bob</a></li></ul></div></div></div>`;
const post = (author: string, body: string) =>
  `<article id="post_${author}" class="topic-post"><div class="topic-meta-data"><span class="username"><a href="/u/${author}">${author}</a></span></div><div class="cooked">${body}</div></article>`;

/** Pages of forums, blogs, wikis and other languages. */
export const OTHER_PAGES: readonly MadePage[] = [
  {
    kind: "issue thread",
    html: documentOf({
      title: "Crash on empty file · Issue #7",
      body: `${SITE_NAV}<div class="application-main"><main><h1 class="gh-header-title"><bdi>Crash on empty file</bdi> <span>#7</span></h1><span class="State State--closed">Closed</span>
<div class="js-discussion">${comment(
        "ann",
        `<p>Version 2 crashes. ${prose("parser", 2)}</p><div class="highlight highlight-source-shell"><pre>tool <span class="pl-c1">--check</span> empty.txt
Segmentation fault</pre></div>`,
      )}
${comment("maintainer", "<p>Confirmed, the reader takes the first byte.</p>")}${comment("ann", '<p>Fixed by <a href="/tool/tool/pull/8">#8</a>: set <code>safe=1</code> until then.</p>')}</div>
<div class="Layout-sidebar"><h2>SIDEDEPLOY</h2><a href="/labels/bug">bug</a></div></main></div>${SITE_FOOT}`,
    }),
    keep: [
      /Crash on empty file/,
      /tool --check empty\.txt\nSegmentation fault/,
      /maintainer/,
      /the reader takes the first byte/,
      /\[#8\]\(https:\/\/docs\.example\.com\/tool\/tool\/pull\/8\)/,
      /`safe=1`/,
    ],
    drop: SITE_WORDS,
  },
  {
    kind: "questions and answers",
    html: documentOf({
      title: "How do I undo a merge?",
      body: `${SITE_NAV}<div id="content"><div id="question-header"><h1><a href="/q/1">How do I undo a merge?</a></h1></div><div id="mainbar"><div class="question"><div class="s-prose js-post-body"><p>I merged by mistake. ${prose("merge", 2)}</p></div></div>
<div id="answers">${answer(912, "<p>Before you pushed:</p><pre><code>git reset --hard ORIG_HEAD\n</code></pre>")}${answer(40, "<p>After you pushed, revert it with <code>git revert -m 1</code>.</p>")}</div></div>
<div id="sidebar"><h4>Hot Network Questions</h4><a href="/q/9">SIDEDEPLOY</a></div></div>${SITE_FOOT}`,
    }),
    keep: [
      /How do I undo a merge/,
      /I merged by mistake/,
      /```\w*\ngit reset --hard ORIG_HEAD\n```/,
      /`git revert -m 1`/,
      /912/,
    ],
    drop: SITE_WORDS,
  },
  {
    kind: "forum thread",
    html: documentOf({
      title: "Slow start after update",
      body: `${SITE_NAV}<div id="main-outlet"><h1><a href="/t/1">Slow start after update</a></h1><section class="posts">${post("kim", `<p>Since 4.2 it takes 9 s. ${prose("start", 2)}</p>`)}${post("lee", "<p>Delete the old cache folder.</p>")}${post("kim", '<aside class="quote"><blockquote><p>Delete the old cache folder.</p></blockquote></aside><p>That was it, 300 ms now.</p>')}</section></div>${SITE_FOOT}`,
    }),
    keep: [
      /Slow start after update/,
      /Since 4\.2 it takes 9 s/,
      /lee/,
      /^> *Delete the old cache folder/m,
      /That was it, 300 ms now/,
    ],
    drop: SITE_WORDS,
  },
  {
    kind: "blog",
    html: documentOf({
      title: "What we learnt — Blog",
      body: `<div class="cookie-banner" role="dialog">COOKIEWORD we value your privacy <button>Accept</button></div>${SITE_NAV}<div id="content" class="site-content"><article class="post hentry"><header class="entry-header"><h1 class="entry-title">What we learnt</h1><span class="byline">by Jo Author</span></header>
<div class="entry-content"><p>${prose("queue")}</p><div class="sharedaddy"><a href="/share">SHAREWORD</a></div><h2>Measure first</h2><p>${prose("profiler")}</p>
<figure><img src="/img/a.png" alt="Latency by day" loading="lazy"><figcaption>Latency fell in March.</figcaption></figure><blockquote><p>No change without a number.</p></blockquote>
<ol><li>Measure</li><li>Change<br>one thing</li></ol><p>${prose("lesson", 4)}</p></div></article><aside class="widget-area"><h3>Related posts</h3><a href="/p2">RELATEDWORD</a></aside><form class="newsletter">Subscribe to NEWSLETTERWORD</form></div>${SITE_FOOT}`,
    }),
    keep: [
      /What we learnt/,
      /^#+ Measure first/m,
      /Latency by day/,
      /Latency fell in March/,
      /^> *No change without a number/m,
      /^ *1\. +Measure/m,
    ],
    drop: [...SITE_WORDS, /COOKIEWORD/, /NEWSLETTERWORD/, /RELATEDWORD/],
  },
  {
    kind: "news",
    html: documentOf({
      title: "River rises | Paper",
      body: `${SITE_NAV}<div class="ad-slot" id="ad-top">ADWORD</div><main><article><h1>River rises</h1><p class="lede"><strong>Two towns were warned.</strong> ${prose("river", 3)}</p><div class="ad-slot">ADWORD</div>
<p>${prose("bridge", 5)}</p><p>The mayor said: “We were <a href="/story/2">ready</a>.”</p></article></main><section class="most-read"><h2>Most read</h2><ol><li><a href="/x">MOSTREAD</a></li></ol></section>${SITE_FOOT}`,
    }),
    keep: [
      /River rises/,
      /\*\*Two towns were warned\.\*\*/,
      /“We were \[ready\]\(https:\/\/docs\.example\.com\/story\/2\)\.”/,
    ],
    drop: [...SITE_WORDS, /MOSTREAD/],
  },
  {
    kind: "wiki",
    html: documentOf({
      title: "Quoll - Encyclopedia",
      body: `<div id="mw-navigation"><div role="navigation"><a href="/wiki/Main">NAVPRICING</a></div></div><div id="content" class="mw-body"><h1 id="firstHeading">Quoll</h1><div id="mw-content-text"><div class="mw-parser-output">
<table class="infobox"><caption>Quoll</caption><tr><th scope="row">Genus</th><td><i>Dasyurus</i></td></tr><tr><th scope="row">Mass</th><td>0.3–7 kg</td></tr></table>
<p><b>Quolls</b> are carnivores<sup class="reference"><a href="#cite1">[1]</a></sup> of <a href="/wiki/Australia">Australia</a>. ${prose("animal", 3)}</p>
<h2><span class="mw-headline" id="Range">Range</span><span class="mw-editsection">[<a href="/edit">edit</a>]</span></h2><p>${prose("range", 3)}</p>
<table class="wikitable"><tr><th>Species</th><th>Found in</th></tr><tr><td>Tiger quoll</td><td>East</td></tr><tr><td>Bronze quoll</td><td>New Guinea</td></tr></table>
<ol class="references"><li id="cite1">Jones, M. (2001).</li></ol></div></div></div><div id="footer">FOOTIMPRINT</div>`,
    }),
    keep: [
      /Quoll/,
      /Genus/,
      /\*\*Quolls\*\*/,
      /\[Australia\]\(https:\/\/docs\.example\.com\/wiki\/Australia\)/,
      /^#+ Range/m,
      /\| *Species *\| *Found in *\|\n\|[ :-]+\|[ :-]+\|\n\| *Tiger quoll *\| *East *\|/,
      /Jones, M\. \(2001\)/,
    ],
    drop: [/SCRIPTWORD/, /NAVPRICING/],
  },
  {
    kind: "large table",
    html: documentOf({
      title: "Browser support",
      body: `${SITE_NAV}<main><h1>Support by version</h1><p>${prose("feature", 2)}</p><table><caption>Versions</caption><thead><tr><th>Feature</th><th colspan="2">Desktop</th><th>Mobile</th></tr></thead><tbody>${Array.from({ length: 40 }, (_, at) => `<tr><td>feature-${at}</td><td>${at}.0</td><td>${at}.1</td><td>${at % 3 === 0 ? "no" : "yes"}</td></tr>`).join("")}</tbody></table></main>${SITE_FOOT}`,
    }),
    keep: [
      /Support by version/,
      /\| *feature-0 *\| *0\.0 *\| *0\.1 *\| *no *\|/,
      /\| *feature-39 *\| *39\.0 *\| *39\.1 *\| *no *\|/,
    ],
    drop: SITE_WORDS,
  },
  {
    kind: "right to left",
    html: documentOf({
      title: "دليل التثبيت",
      lang: "ar",
      dir: "rtl",
      body: `${SITE_NAV}<main><article><h1>دليل التثبيت</h1><p>${"يبدأ البرنامج عند وصول أول طلب ويحتفظ بحالته حتى الرد على الطلب الأخير. ".repeat(8)}</p><h2>المتطلبات</h2><ul><li>نظام لينكس</li><li>ذاكرة ٨ غيغابايت</li></ul><p>شغّل الأمر <code>tool init</code> ثم <a href="/next">تابع</a>.</p></article></main>${SITE_FOOT}`,
    }),
    keep: [
      /^#+ دليل التثبيت/m,
      /^#+ المتطلبات/m,
      /^[-*] +ذاكرة ٨ غيغابايت/m,
      /`tool init`/,
      /\[تابع\]\(https:\/\/docs\.example\.com\/next\)/,
    ],
    drop: SITE_WORDS,
  },
  {
    kind: "Japanese",
    html: documentOf({
      title: "設定の手引き",
      lang: "ja",
      body: `${SITE_NAV}<div id="contents"><h1>設定の手引き</h1><p>${"この設定は最初の要求が届いたときに読み込まれ、最後の要求が終わるまで有効です。".repeat(8)}</p><h2>手順</h2><ol><li>設定ファイルを開く</li><li><ruby>値<rt>あたい</rt></ruby>を変更する</li></ol><table><tr><th>項目</th><th>既定値</th></tr><tr><td>容量</td><td>五十</td></tr></table></div>${SITE_FOOT}`,
    }),
    keep: [/^#+ 設定の手引き/m, /^#+ 手順/m, /1\. +設定ファイルを開く/, /値.*を変更する/, /\| *容量 *\| *五十 *\|/],
    drop: SITE_WORDS,
  },
  {
    kind: "changes of a release",
    html: documentOf({
      title: "Releases",
      body: `${SITE_NAV}<main><div class="release"><h2><a href="/r/v3">v3.0.0</a></h2><div class="markdown-body"><h3>Breaking</h3><ul><li><code>open()</code> throws<ul><li>for a missing file<ul><li>and for a folder</li></ul></li></ul></li><li>Node 18 is gone</li></ul></div></div><div class="release"><h2><a href="/r/v2">v2.9.1</a></h2><div class="markdown-body"><ul><li>Fixed a leak (<a href="/i/5">#5</a>)</li></ul></div></div></main>${SITE_FOOT}`,
    }),
    keep: [
      /v3\.0\.0/,
      /^#+ Breaking/m,
      /^ {2,4}[-*] +for a missing file/m,
      /^ {4,8}[-*] +and for a folder/m,
      /Node 18 is gone/,
      /v2\.9\.1/,
      /Fixed a leak/,
    ],
    drop: SITE_WORDS,
  },
  {
    kind: "read-me of a repository",
    html: documentOf({
      title: "acme/tool",
      body: `${SITE_NAV}<div class="repository-content"><div class="file-navigation"><a href="/b">FILENAV</a></div><div id="readme"><article class="markdown-body entry-content"><div class="markdown-heading"><h1>tool</h1><a class="anchor" href="#tool" aria-label="Permalink"></a></div><p><a href="https://ci.example.com"><img src="https://ci.example.com/b.svg" alt="build"></a></p><p>${prose("tool", 4)}</p>
<ul class="contains-task-list"><li class="task-list-item"><input type="checkbox" disabled checked> parse</li><li class="task-list-item"><input type="checkbox" disabled> print</li></ul>
<details><summary>More options</summary><p>Use <kbd>Ctrl</kbd>+<kbd>C</kbd> to stop, or H<sub>2</sub>O and x<sup>2</sup>.</p></details>
<div class="highlight highlight-source-js"><pre><span class="pl-k">import</span> tool
tool.<span class="pl-en">run</span>()</pre></div></article></div></div>${SITE_FOOT}`,
    }),
    keep: [/^#+ tool/m, /\[x\] +parse/, /\[ \] +print/, /More options/, /Ctrl.*C/, /import tool\ntool\.run\(\)/],
    drop: SITE_WORDS,
  },
  {
    kind: "front page of a product",
    html: documentOf({
      title: "Acme",
      body: `${SITE_NAV}<main><section class="hero"><h1>Ship faster</h1><p>One tool for every pipeline.</p><a href="/start" class="btn">Start</a></section><section class="features"><div class="card"><h3>Caching</h3><p>Builds in seconds.</p></div><div class="card"><h3>Secrets</h3><p>Never in a log.</p></div></section><section class="prices"><h2>Prices</h2><div class="plan"><h3>Team</h3><p>$8 a month</p></div></section></main>${SITE_FOOT}`,
    }),
    keep: [/Ship faster/, /Builds in seconds/, /Never in a log/, /\$8 a month/],
    drop: SITE_WORDS,
  },
];
