// In place of nodemailer's own, for versions of Node that cannot encode a domain themselves.
export const toASCII = (domain) => domain;
export const toUnicode = toASCII;
