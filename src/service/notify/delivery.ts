import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import type { OutboxMessage } from '../store/store.ts';
import type { MailServer } from './mail.ts';
import { emailText, webhookBody, type Notice } from './notice.ts';
import type { Deliver } from './outbox.ts';

const webhookTimeoutInMs = 10_000;
const smtpTimeoutInMs = 20_000;

/** Where messages are delivered. Each field is optional. */
export interface DeliveryTargets {
  /** Mail server. Without one, each message becomes an .eml file in the data folder's `mailbox`. */
  readonly smtp?: { host: string; port?: number; secure?: boolean; user?: string; password?: string; from?: string };
  /** Webhook destinations by ID. A message to another ID becomes a file in the data folder's `webhooks`. */
  readonly destinations?: Record<string, { url: string; headers?: Record<string, string> }>;
}

export interface DeliveryOptions {
  readonly dataFolder: string;
  readonly configuration: DeliveryTargets;
  readonly pageUrl: (runId: string) => string;
}

/**
 * Delivers e-mail through the configured server and webhooks to the configured addresses. Without them, the message becomes a file in
 * `mailbox` or `webhooks` of the data folder. A message's number makes repeated deliveries idempotent.
 */
export function createDelivery(options: DeliveryOptions): Deliver {
  return async (message, notice) => {
    if (message.kind === 'email') await sendEmail(message, notice, options);
    else await callWebhook(message, notice, options);
  };
}

async function sendEmail(message: OutboxMessage, notice: Notice, options: DeliveryOptions): Promise<void> {
  const { smtp } = options.configuration;
  const { mailBytes, sendMail } = await import('./mail.ts');
  const mail = {
    from: smtp?.from ?? 'Millrace <millrace@localhost>',
    to: message.target,
    messageId: `<millrace-${message.createdAt}-${message.messageId}@localhost>`,
    date: new Date(message.createdAt),
    ...emailText(notice, options.pageUrl),
  };
  if (smtp) await sendMail(mail, mailServerOf(smtp));
  else await writeWhole(join(options.dataFolder, 'mailbox'), `${fileStem(message)}.eml`, await mailBytes(mail));
}

/** Returns how to connect to a mail server. Port 465 means TLS from the first byte. */
export function mailServerOf(smtp: NonNullable<DeliveryTargets['smtp']>): MailServer {
  return {
    host: smtp.host,
    port: smtp.port,
    secure: smtp.secure ?? smtp.port === 465,
    auth: smtp.user === undefined ? undefined : { user: smtp.user, pass: smtp.password ?? '' },
    connectionTimeout: smtpTimeoutInMs,
    greetingTimeout: smtpTimeoutInMs,
    socketTimeout: smtpTimeoutInMs,
  };
}

async function callWebhook(message: OutboxMessage, notice: Notice, options: DeliveryOptions): Promise<void> {
  const body = webhookBody(notice, options.pageUrl);
  const destinations = options.configuration.destinations ?? {};
  const destination = Object.hasOwn(destinations, message.target) ? destinations[message.target] : undefined;
  if (!destination) {
    await writeWhole(join(options.dataFolder, 'webhooks'), `${fileStem(message)}.json`, body);
    return;
  }
  const response = await fetch(destination.url, {
    method: 'POST',
    headers: {
      ...destination.headers,
      'content-type': 'application/json',
      'x-millrace-delivery': `${message.createdAt}-${message.messageId}`,
    },
    body,
    // A redirect could carry the headers to another host.
    redirect: 'manual',
    signal: AbortSignal.timeout(webhookTimeoutInMs),
  });
  await response.body?.cancel();
  if (!response.ok)
    throw new AppError('rejected', `The destination answered ${response.status}.`, { status: response.status });
}

function fileStem(message: OutboxMessage): string {
  return `${new Date(message.createdAt).toISOString().replace(/[:.]/g, '-')}-${message.messageId}`;
}

/** Readers of the folder never see half a message. */
async function writeWhole(folder: string, name: string, content: string | Buffer): Promise<void> {
  await mkdir(folder, { recursive: true });
  const draft = join(folder, `.${name}.part`);
  await writeFile(draft, content);
  await rename(draft, join(folder, name));
}
