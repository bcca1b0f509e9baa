/**
 * Texts that break out of where a careless page puts them. Each that would make an element gives it `data-hostile`, and
 * each that would run sets `window.__xss`.
 */

const RUN = "window.__xss=1";

/** Printable and at most 64 characters, so that tags and keys can carry them too. */
export const PRINTABLE_TEXTS = [
  `<script data-hostile>${RUN}</script>`,
  `</script><script data-hostile>${RUN}</script>`,
  `<img data-hostile src=x onerror=${RUN}>`,
  `<svg data-hostile onload=${RUN}>`,
  `<svg data-hostile><script>${RUN}</script></svg>`,
  `<iframe data-hostile srcdoc="<script>${RUN}</script>">`,
  `<math><mi data-hostile xlink:href=javascript:${RUN}>`,
  `<details data-hostile open ontoggle=${RUN}>`,
  `<a data-hostile href="javascript:${RUN}">x</a>`,
  `<base data-hostile href=//hostile.example>`,
  `<meta data-hostile http-equiv=refresh content=0;url=/x>`,
  `<form data-hostile><input name=attributes>`,
  `<b data-hostile>bold</b>`,
  `&lt;b data-hostile&gt; &#x202e; &amp;lt;`,
  `javascript:${RUN}//`,
  ` JaVaScRiPt:${RUN}`,
  `data:text/html,<script data-hostile>${RUN}</script>`,
  `//hostile.example/x`,
  `"><i data-hostile onfocus=${RUN} autofocus tabindex=1>`,
  `' onmouseover='${RUN}' data-hostile='`,
  `" style="position:fixed;inset:0;width:9999px" data-hostile="`,
  `</style><style data-hostile>*{display:none}</style>`,
  `}body{display:none}/*`,
  `</textarea></title></pre><u data-hostile>`,
  `<!--<script data-hostile>`,
  `]]><![CDATA[<u data-hostile>`,
  `{{constructor.constructor('${RUN}')()}}`,
  "${" + RUN + "} #{" + RUN + "} <%= 1 %>",
  `{count} {name} {0} %s %d $& $1 $\``,
  `\\u003cscript\\u003e \\x3c \\" \\' \\`,
  "__proto__",
  "constructor",
  "gpj.\u202Eexe\u202C \u2066isolated\u2069 \u200Fmark",
  "zero\u200Bwidth\u200D\u2060join\uFEFF\u00ADer",
  "line\u2028and\u2029paragraph",
  "\u05E9\u05DC\u05D5\u05DD \u0645\u0631\u062D\u0628\u0627 (a) 1-2",
  "Z\u0351\u036B\u0343a\u0329\u0321l\u034D\u0316go \u{1F468}\u200D\u{1F469}\u200D\u{1F467}",
  "\u0300combining first",
  "ﷺ".repeat(20),
  "W".repeat(64),
  "spaces   in    the     middle",
] as const;

/** Such as errors, log lines and payloads can carry besides. */
const OTHER_TEXTS = [
  "red \u001B[31mterminal\u001B[0m bell\u0007 back\u0008 del\u007F c1\u009B",
  "first\r\nsecond\rthird\tcolumn\n<u data-hostile>",
  `https://hostile.example/${"a/".repeat(90)}`,
  "unbroken".repeat(60),
] as const;

export const ALL_TEXTS = [...PRINTABLE_TEXTS, ...OTHER_TEXTS] as const;

/** Hostile as far as the rule for names allows. */
export const NAMES = [
  "javascript:window.__xss",
  "constructor",
  "hasOwnProperty",
  "toString",
  "0",
  "a..b",
  "N".repeat(128),
] as const;
