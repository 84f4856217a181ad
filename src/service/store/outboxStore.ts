import type { Database } from './database.ts';

export interface OutboxMessage {
  readonly messageId: number;
  readonly kind: 'email' | 'webhook';
  /** The e-mail address, or the ID of the notification destination. */
  readonly target: string;
  /** The message as JSON text. */
  readonly payload: string;
  readonly createdAt: number;
  readonly attempts: number;
}

/** Notifications to deliver. They are stored together with the change that they report, so that a crash loses none. */
export interface OutboxStore {
  insert(message: Omit<OutboxMessage, 'messageId' | 'attempts'>): void;
  due(now: number, limit: number): OutboxMessage[];
  earliest(): number | undefined;
  postpone(messageId: number, attempts: number, dueAt: number): void;
  delete(messageId: number): void;
}

export function createOutboxStore({ connection }: Database): OutboxStore {
  const insert = connection.prepare(
    'INSERT INTO outbox (kind, target, payload, created_at, due_at) VALUES (?, ?, ?, ?, ?)',
  );
  const due = connection.prepare(
    'SELECT message_id AS messageId, kind, target, payload, created_at AS createdAt, attempts FROM ' +
      'outbox WHERE due_at <= ? ORDER BY due_at, message_id LIMIT ?',
  );
  const earliest = connection.prepare('SELECT min(due_at) AS at FROM outbox');
  const postpone = connection.prepare('UPDATE outbox SET attempts = ?, due_at = ? WHERE message_id = ?');
  const remove = connection.prepare('DELETE FROM outbox WHERE message_id = ?');
  return {
    insert: (message) =>
      void insert.run(message.kind, message.target, message.payload, message.createdAt, message.createdAt),
    due: (now, limit) => due.all(now, limit) as unknown as OutboxMessage[],
    earliest: () => (earliest.get() as { at: number | null }).at ?? undefined,
    postpone: (messageId, attempts, dueAt) => void postpone.run(attempts, dueAt, messageId),
    delete: (messageId) => void remove.run(messageId),
  };
}
