// Kinds of characters, for markdown-it: regular expressions know them by now.
export const P = /\p{P}/u;
export const S = /\p{S}/u;
export const Z = /\p{Z}/u;
export const Cc = /\p{Cc}/u;
