import MimeNode from 'nodemailer/lib/mime-node';
import SMTPConnection from 'nodemailer/lib/smtp-connection';

/** A plain-text mail. */
export interface Mail {
  /** An address, optionally with a name before it. */
  readonly from: string;
  /** One address. A comma in it adds no recipient. */
  readonly to: string;
  readonly messageId: string;
  readonly date: Date;
  readonly subject: string;
  readonly text: string;
}

/** How to connect to a mail server. */
export interface MailServer {
  readonly host: string;
  readonly port?: number;
  /** TLS from the first byte. */
  readonly secure: boolean;
  readonly auth?: { user: string; pass: string };
  /** Milliseconds. */
  readonly connectionTimeout: number;
  readonly greetingTimeout: number;
  readonly socketTimeout: number;
}

function compose(mail: Mail): MimeNode {
  const node = new MimeNode('text/plain; charset=utf-8', { newline: 'windows' });
  node.setHeader({
    from: senderOf(mail.from) as never,
    // As an object, so that a comma in it cannot add recipients.
    to: { name: '', address: mail.to } as never,
    subject: mail.subject,
    'message-id': mail.messageId,
    date: mail.date as never,
  });
  node.setContent(mail.text);
  return node;
}

/** Parses an address, alone or after a name that may be quoted. */
function senderOf(from: string): { name: string; address: string } {
  const text = from.trim();
  const start = text.lastIndexOf('<');
  if (start === -1 || !text.endsWith('>')) return { name: '', address: text };
  const name = text.slice(0, start).trim();
  const isQuoted = name.length > 1 && name.startsWith('"') && name.endsWith('"');
  return { name: isQuoted ? name.slice(1, -1) : name, address: text.slice(start + 1, -1).trim() };
}

/** Returns the mail as it goes over the wire, headers before text. */
export async function mailBytes(mail: Mail): Promise<Buffer> {
  return compose(mail).build();
}

/**
 * Sends a mail. User and password are sent only if the server asks for them.
 * @throws if the server is unreachable, rejects the user or does not accept the mail; it may be retried then
 */
export async function sendMail(mail: Mail, server: MailServer): Promise<void> {
  const node = compose(mail);
  const connection = new SMTPConnection(server);
  const failed = new Promise<never>((_, reject) => connection.on('error', reject));
  try {
    await Promise.race([failed, hand(connection, node, server.auth)]);
  } finally {
    connection.close();
  }
}

async function hand(connection: SMTPConnection, node: MimeNode, auth: MailServer['auth']): Promise<void> {
  await step((done) => connection.connect(done));
  if (auth && connection.allowsAuth) await step((done) => connection.login(auth, done));
  await step((done) => connection.send(node.getEnvelope(), node.createReadStream(), done));
}

function step(action: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => action((error) => (error ? reject(error) : resolve())));
}
