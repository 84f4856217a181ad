// How the host of a link is written, for markdown-it. Browsers and Node can do that, and a host in letters of its own is not made to look
// like another.
const toASCII = (host) => (/[^\0-\x7f]/.test(host) ? new URL(`http://${host}`).hostname : host);

export default { toASCII, toUnicode: (host) => host };
