/**
 * Payloads that try to run script or to make a request, made from forms that are known from public collections
 * (the OWASP filter-evasion list, DOMPurify's and markdown-it's own tests): each form in each spelling.
 */

const call = 'alert(1)';
/** Spellings of the same handler. */
const calls = [
  call,
  'alert`1`',
  'top.alert(1)',
  "window['al'+'ert'](1)",
  'eval("alert(1)")',
  '[1].find(alert)',
  '(alert)(1)',
  'setTimeout(alert)',
  "Function('alert(1)')()",
  '{onerror=alert}throw 1',
];

const eventTags = [
  ['img', 'src=x onerror'],
  ['img', 'srcset=x onerror'],
  ['image', 'src=x onerror'],
  ['svg', 'onload'],
  ['svg><g', 'onload'],
  ['body', 'onload'],
  ['video', 'src=x onerror'],
  ['video><source', 'src=x onerror'],
  ['audio', 'src=x onerror'],
  ['iframe', 'onload'],
  ['iframe', 'src=about:blank onload'],
  ['object', 'data=x onerror'],
  ['embed', 'src=x onload'],
  ['input', 'autofocus onfocus'],
  ['textarea', 'autofocus onfocus'],
  ['select', 'autofocus onfocus'],
  ['button', 'autofocus onfocus'],
  ['details', 'open ontoggle'],
  ['marquee', 'onstart'],
  ['link', 'rel=stylesheet href=x onerror'],
  ['script', 'src=x onerror'],
  ['style', 'onload'],
  ['a', 'href=# onclick'],
  ['div', 'tabindex=0 onclick'],
  ['div', 'tabindex=0 onmouseover'],
  ['p', 'tabindex=0 onfocus'],
  ['math><mtext', 'tabindex=0 onclick'],
  ['form', 'tabindex=0 onclick'],
  ['svg><animate', 'attributeName=x dur=1s onbegin'],
  ['svg><set', 'attributeName=x onbegin'],
] as const;

/** How a tag can be written. */
const spellings: ((tag: string, attributes: string, handler: string) => string)[] = [
  (tag, attributes, handler) => `<${tag} ${attributes}=${quote(handler)}>`,
  (tag, attributes, handler) => `<${tag.toUpperCase()} ${attributes.toUpperCase()}=${quote(handler)}>`,
  (tag, attributes, handler) => `<${tag}/${attributes.replaceAll(' ', '/')}=${quote(handler)}//`,
  (tag, attributes, handler) => `"><${tag} ${attributes}=${quote(handler)}>`,
  (tag, attributes, handler) => `<${tag}\n${attributes.replaceAll(' ', '\t')}\n=\n${quote(handler)}>`,
];

const schemes = [
  'javascript:',
  'JaVaScRiPt:',
  'java\tscript:',
  'java\nscript:',
  'java&#10;script:',
  '&#106;avascript:',
  '&#x6A;avascript:',
  '\u0001javascript:',
  ' javascript:',
  'javascript&colon;',
  'javascript&#58;',
  'jav&Tab;ascript:',
  'vbscript:',
  'data:text/html,<script>',
  'data:text/html;base64,PHNjcmlwdD4',
  'data:image/svg+xml,<svg onload=',
  'command:',
  'vscode://x/',
  'file:///',
  'blob:',
  'javascript://x.com/%0a',
  'https://x.com@javascript:',
  'view-source:javascript:',
  'feed:javascript:',
  'livescript:',
  'mocha:',
];

/** Markdown forms that carry an address. */
const linkForms: ((address: string) => string)[] = [
  (address) => `[a](${address})`,
  (address) => `[a](<${address}>)`,
  (address) => `<${address}>`,
  (address) => `![a](${address})`,
  (address) => `[a]: ${address}\n\n[a]`,
  (address) => `[![a](${address})](${address})`,
  (address) => `[a](${address} "t")`,
  (address) => `<a href="${address}">a</a>`,
  (address) => `<form action="${address}"><input type=submit></form>`,
  (address) => `<iframe src="${address}"></iframe>`,
  (address) => `<svg><a xlink:href="${address}"><text y=9>a</text></a></svg>`,
  (address) => `<object data="${address}"></object>`,
  (address) => `<base href="${address}//">`,
  (address) => `<button formaction="${address}">a</button>`,
  (address) => `<math><a href="${address}">a</a></math>`,
];

const special = [
  '<script>alert(1)</script>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<svg><style><img src=x onerror=alert(1)></style></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--><img src=x onerror=alert(1)>">',
  '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<template><img src=x onerror=alert(1)></template>',
  '<xmp><img src=x onerror=alert(1)></xmp>',
  '<textarea><img src=x onerror=alert(1)>',
  '<!--><img src=x onerror=alert(1)>-->',
  '<![CDATA[<img src=x onerror=alert(1)>]]>',
  '```<img src=x onerror=alert(1)>\ncode\n```',
  '```"><script>alert(1)</script>\ncode\n```',
  '`<img src=x onerror=alert(1)>`',
  '    <img src=x onerror=alert(1)>',
  '|<img src=x onerror=alert(1)>|\n|-|\n|<svg onload=alert(1)>|',
  '# <img src=x onerror=alert(1)>',
  '- <img src=x onerror=alert(1)>',
  '> <img src=x onerror=alert(1)>',
  '[<img src=x onerror=alert(1)>](https://x.com)',
  '![<img src=x onerror=alert(1)>](https://x.com)',
  '[a](https://x.com "\\"><img src=x onerror=alert(1)>")',
  '[a](https://x.com"onclick=alert(1)//)',
  '<https://x.com/"onclick="alert(1)>',
  '\\<img src=x onerror=alert(1)>',
  '&lt;img src=x onerror=alert(1)&gt;',
  '<img src=x onerror=&#97;&#108;&#101;&#114;&#116;(1)>',
  '<div style="background:url(javascript:alert(1))">',
  '<div id=x tabindex=0 onfocus=alert(1) autofocus>',
  '<isindex action=javascript:alert(1) type=submit>',
  '<meta http-equiv=refresh content="0;url=javascript:alert(1)">',
  '<svg><script>alert(1)</script></svg>',
  '<svg><use href="data:image/svg+xml,<svg id=x xmlns=http://www.w3.org/2000/svg><image href=1 onerror=alert(1) /></svg>#x">',
  '<form id=attributes><input name=attributes tabindex=0 onclick=alert(1)>',
  '<form><input name=childNodes><img src=x onerror=alert(1)></form>',
  '<a id=location href=javascript:alert(1)>x</a>',
];

export function hostilePayloads(): string[] {
  const tags = eventTags.flatMap(([tag, attributes]) =>
    spellings.flatMap((spell) => calls.map((handler) => spell(tag, attributes, handler))),
  );
  const links = schemes.flatMap((scheme) => linkForms.map((form) => form(scheme + call)));
  return [
    ...new Set([...tags, ...links, ...special, ...special.map((payload) => `text ${payload} more **${payload}**`)]),
  ];
}

/** Forms that make a browser ask a server as soon as they are shown, to an address that a test can watch. */
export function requestPayloads(): string[] {
  const address = 'https://beacon.test/p';
  const forms: ((address: string) => string)[] = [
    (a) => `![a](${a})`,
    (a) => `![a](${a} "t")`,
    (a) => `[![a](${a})](${a})`,
    (a) => `![a][r]\n\n[r]: ${a}`,
    (a) => `<img src="${a}">`,
    (a) => `<img srcset="${a} 2x">`,
    (a) => `<picture><source srcset="${a}"><img></picture>`,
    (a) => `<video src="${a}" poster="${a}" autoplay>`,
    (a) => `<audio src="${a}" autoplay>`,
    (a) => `<link rel=stylesheet href="${a}">`,
    (a) => `<link rel=prefetch href="${a}">`,
    (a) => `<link rel=dns-prefetch href="${a}">`,
    (a) => `<style>@import "${a}";</style>`,
    (a) => `<style>*{background:url(${a})}</style>`,
    (a) => `<div style="background-image:url('${a}')">x</div>`,
    (a) => `<iframe src="${a}"></iframe>`,
    (a) => `<object data="${a}"></object>`,
    (a) => `<embed src="${a}">`,
    (a) => `<script src="${a}"></script>`,
    (a) => `<svg><image href="${a}" width=9 height=9></svg>`,
    (a) => `<svg><use href="${a}#x"></svg>`,
    (a) => `<input type=image src="${a}">`,
    (a) => `<body background="${a}">`,
    (a) => `<meta http-equiv=refresh content="0;url=${a}">`,
    (a) => `<table background="${a}"><td>x</table>`,
  ];
  const addresses = [
    address,
    address.replace('https:', 'http:'),
    address.replace('https:', ''),
    'http://chat.test/own',
  ];
  return forms.flatMap((form) => addresses.map(form));
}

function quote(handler: string): string {
  return handler.includes('"') ? `'${handler.replaceAll("'", '&#39;')}'` : `"${handler}"`;
}
