import { lookup } from 'node:dns/promises';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import * as vscode from 'vscode';
import { causeOf } from '../connectionProblem.ts';
import type { Finding } from '../diagnosisReport.ts';

const limitInMs = 10_000;

/**
 * Probes the network path to an address step by step until one fails. The steps bypass any proxy: with a proxy they may fail although
 * requests work.
 */
export async function probeNetwork(baseUrl: string): Promise<Finding[]> {
  const url = new URL(baseUrl);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  const steps: [name: string, step: () => Promise<string>][] = [
    [
      vscode.l10n.t('DNS, the name {0}', host),
      async () => (await lookup(host, { all: true })).map(({ address }) => address).join(', '),
    ],
    [vscode.l10n.t('TCP, port {0}', port), async () => tcpOutcome(host, port)],
  ];
  if (url.protocol === 'https:') steps.push([vscode.l10n.t('TLS'), async () => tlsOutcome(host, port)]);
  const findings: Finding[] = [];
  for (const [name, step] of steps) {
    const startedAt = performance.now();
    try {
      const outcome = await step();
      findings.push({ name, ok: true, outcome, durationInMs: performance.now() - startedAt });
    } catch (error) {
      const { code } = causeOf(error);
      const message = error instanceof Error ? error.message : String(error);
      findings.push({
        name,
        ok: false,
        outcome: code === '' || message.includes(code) ? message : `${code}: ${message}`,
        durationInMs: performance.now() - startedAt,
      });
      break;
    }
  }
  return findings;
}

async function tcpOutcome(host: string, port: number): Promise<string> {
  const socket = connectTcp({ host, port });
  return opened(socket, 'connect', () => vscode.l10n.t('connected to {0}', `${socket.remoteAddress ?? host}:${port}`));
}

async function tlsOutcome(host: string, port: number): Promise<string> {
  // Connect even if the certificate is rejected, because the report is about that. Nothing is sent.
  const socket = connectTls({
    host,
    port,
    servername: /^[\d.]+$|:/.test(host) ? undefined : host,
    rejectUnauthorized: false,
  });
  return opened(socket, 'secureConnect', () => {
    const certificate = socket.getPeerCertificate();
    const said = vscode.l10n.t(
      '{0}, certificate of {1} from {2}, valid to {3}',
      socket.getProtocol() ?? '',
      nameOf(certificate.subject),
      nameOf(certificate.issuer),
      certificate.valid_to ?? '',
    );
    if (!socket.authorized)
      throw new Error(`${said}; ${vscode.l10n.t('rejected: {0}', String(socket.authorizationError))}`);
    return said;
  });
}

function nameOf(entity: { CN?: string | string[]; O?: string | string[] } | undefined): string {
  return [entity?.CN ?? entity?.O ?? '?'].flat().join(', ');
}

function opened(socket: Socket | TLSSocket, event: string, outcome: () => string): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    socket.setTimeout(limitInMs, () => reject(new Error(vscode.l10n.t('no answer within {0} s', limitInMs / 1000))));
    socket.once('error', reject);
    socket.once(event, () => {
      try {
        resolve(outcome());
      } catch (error) {
        reject(error as Error);
      }
    });
  }).finally(() => socket.destroy());
}
