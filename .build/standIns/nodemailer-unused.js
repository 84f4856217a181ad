// In place of a part of nodemailer that is never used.
export default function () {
  throw new Error('This part of nodemailer is left out.');
}
