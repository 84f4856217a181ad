// In place of nodemailer's tables of file types, for attachments that are named by a file: there are none.
export const detectMimeType = () => 'application/octet-stream';
export const detectExtension = () => 'bin';
