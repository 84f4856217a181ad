import * as vscode from 'vscode';
import type { Client } from '../../api/client/index.ts';
import { describeError, isAbort, toAppError } from '../../shared/errors.ts';
import { withoutCredentials } from '../../shared/redact.ts';
import { checkConnection } from '../checkConnection.ts';
import type { Profile } from '../connection.ts';
import { type Finding, formatReport, type ReportSection } from '../diagnosisReport.ts';
import { settingsTargetOf } from '../profileSettings.ts';
import { probeNetwork } from './networkProbe.ts';
import { draftClient, type ProfileServices } from './profileServices.ts';

/** Checks everything between the editor and the service, and opens the findings as a document to read or to send. */
export async function diagnoseConnection(services: ProfileServices, profile: Profile): Promise<void> {
  const title = vscode.l10n.t('Diagnosing the connection of profile "{0}"', profile.name);
  const text = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    async (_progress, token) => {
      const abort = new AbortController();
      const subscription = token.onCancellationRequested(() => abort.abort());
      try {
        return await reportOf(services, profile, abort.signal);
      } finally {
        subscription.dispose();
      }
    },
  );
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: text });
  await vscode.window.showTextDocument(document, { preview: false });
}

async function reportOf(services: ProfileServices, profile: Profile, signal: AbortSignal): Promise<string> {
  const secret = await services.vault.get(profile);
  const secrets = secret === undefined ? [] : [secret];
  const network: Finding[] = profile.baseUrl === undefined ? [] : await probeNetwork(profile.baseUrl);
  const { client, findings, url } = await clientOf(services, profile, secret, secrets);
  const calls = client ? await callAll(client, signal) : [];
  let verdict = findings.find((finding) => finding.ok === false)?.outcome;
  if (client) {
    const check = await checkConnection(client, { signal, retry: 'fail' });
    verdict = check.ok
      ? [vscode.l10n.t('The connection works.'), ...check.notes].join(' ')
      : vscode.l10n.t('The connection failed. {0}', check.message);
  }
  const sections: ReportSection[] = [
    { title: vscode.l10n.t('Profile'), facts: profileFacts(profile, secret !== undefined, url) },
    { title: vscode.l10n.t('Versions'), facts: versionFacts(services.context) },
    {
      title: vscode.l10n.t('Network, bypassing any proxy'),
      findings:
        network.length > 0
          ? network
          : [
              {
                name: vscode.l10n.t('Not checked'),
                ok: undefined,
                outcome: vscode.l10n.t('the local service is on this machine'),
              },
            ],
    },
    { title: vscode.l10n.t('Proxy and certificates'), facts: proxyFacts() },
    { title: vscode.l10n.t('Requests, as the extension sends them'), findings: [...findings, ...calls] },
  ];
  return formatReport(
    {
      title: vscode.l10n.t('Millrace: connection of profile "{0}", {1}', profile.name, new Date().toISOString()),
      verdict: verdict ?? '',
      sections,
      closing: vscode.l10n.t('This report contains no tokens or passwords, but names of hosts and people.'),
    },
    secrets,
  );
}

/** Returns the client for the report: starts the local service; a remote client does not wait for an unhealthy service. */
async function clientOf(
  services: ProfileServices,
  profile: Profile,
  secret: string | undefined,
  secrets: string[],
): Promise<{ client?: Client; findings: Finding[]; url?: string }> {
  try {
    const connector = await services.connector();
    if (profile.kind === 'local') {
      connector.forget(profile.id);
      const startedAt = performance.now();
      const { client } = await connector.connect(profile);
      return {
        client,
        url: client.baseUrl,
        findings: [
          {
            name: vscode.l10n.t('Start of the local service'),
            ok: true,
            outcome: client.baseUrl,
            durationInMs: performance.now() - startedAt,
          },
        ],
      };
    }
    if (profile.authKind === 'command') {
      if (!vscode.workspace.isTrusted) {
        return {
          findings: [
            {
              name: vscode.l10n.t('Command'),
              ok: false,
              outcome: vscode.l10n.t(
                'The command did not run because the workspace is not trusted. Trust it, then diagnose again.',
              ),
            },
          ],
        };
      }
      const { runTokenCommand } = await import('./tokenCommand.ts');
      const token = await runTokenCommand(profile.command ?? '');
      secrets.push(token);
      const client = draftClient({ ...profile, authKind: 'bearer' }, token, services.log);
      return {
        client,
        findings: [
          {
            name: vscode.l10n.t('Command'),
            ok: true,
            outcome: vscode.l10n.t('it printed a token of {0} characters', token.length),
          },
        ],
      };
    }
    return { client: draftClient(profile, secret ?? '', services.log), findings: [] };
  } catch (error) {
    if (isAbort(error)) throw error;
    return { findings: [{ name: vscode.l10n.t('Start'), ok: false, outcome: describeError(error) }] };
  }
}

async function callAll(client: Client, signal: AbortSignal): Promise<Finding[]> {
  const options = { signal, retry: 'fail' as const };
  return [
    await call('jobs/runs/list', async () =>
      vscode.l10n.t('{0} run(s) in a page of one', (await client.jobs.listRuns({ limit: 1 }, options)).runs.length),
    ),
    await call('serving-endpoints/list', async () =>
      vscode.l10n.t('{0} endpoint(s)', (await client.inference.listEndpoints(options)).length),
    ),
    await call('clusters/spark-versions', async () => {
      await client.clusters.sparkVersions(options);
      return vscode.l10n.t('answered');
    }),
  ];
}

async function call(name: string, ask: () => Promise<string>): Promise<Finding> {
  const startedAt = performance.now();
  const took = (): number => performance.now() - startedAt;
  try {
    return { name, ok: true, outcome: await ask(), durationInMs: took() };
  } catch (error) {
    if (isAbort(error)) throw toAppError(error);
    // The message repeats the operation, which the report already shows.
    return { name, ok: false, outcome: describeError(error).replace(`${name}: `, ''), durationInMs: took() };
  }
}

function profileFacts(profile: Profile, hasSecret: boolean, url: string | undefined): [string, string][] {
  const needsSecret =
    profile.kind === 'remote' &&
    (profile.authKind === 'bearer' || profile.authKind === 'basic' || profile.authKind === 'header');
  return [
    [vscode.l10n.t('Name'), profile.name],
    [vscode.l10n.t('Address'), url ?? settingsTargetOf(profile)],
    [vscode.l10n.t('Sign-in'), profile.kind === 'local' ? vscode.l10n.t('automatic') : profile.authKind],
    ...(needsSecret
      ? [
          [
            vscode.l10n.t('Stored sign-in for this address'),
            hasSecret ? vscode.l10n.t('yes') : vscode.l10n.t('none (Millrace: Sign In to Profile…)'),
          ] as [string, string],
        ]
      : []),
    [vscode.l10n.t('Production'), profile.production ? vscode.l10n.t('yes') : vscode.l10n.t('no')],
    [vscode.l10n.t('Read-only'), profile.readOnly ? vscode.l10n.t('yes') : vscode.l10n.t('no')],
    [vscode.l10n.t('Workspace trusted'), vscode.workspace.isTrusted ? vscode.l10n.t('yes') : vscode.l10n.t('no')],
  ];
}

function versionFacts(context: vscode.ExtensionContext): [string, string][] {
  const { version } = context.extension.packageJSON as { version?: string };
  return [
    ['Millrace', version ?? '?'],
    [vscode.env.appName, vscode.version],
    ['Node', process.version],
    [vscode.l10n.t('System'), `${process.platform} ${process.arch}`],
    [vscode.l10n.t('Extension host'), vscode.env.remoteName ?? vscode.l10n.t('local')],
  ];
}

const proxySettings = [
  'proxy',
  'proxySupport',
  'proxyStrictSSL',
  'noProxy',
  'systemCertificates',
  'fetchAdditionalSupport',
];
const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];
const certificateVariables = ['NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED'];

function proxyFacts(): [string, string][] {
  const settings = vscode.workspace.getConfiguration('http');
  const shown = (value: unknown): string =>
    value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
      ? vscode.l10n.t('not set')
      : typeof value === 'string'
        ? value
        : JSON.stringify(value);
  return [
    ...proxySettings.map((name): [string, string] => [`http.${name}`, withoutCredentials(shown(settings.get(name)))]),
    ...proxyVariables.map((name): [string, string] => [
      name,
      withoutCredentials(shown(process.env[name] ?? process.env[name.toLowerCase()])),
    ]),
    ...certificateVariables.map((name): [string, string] => [name, shown(process.env[name])]),
  ];
}
