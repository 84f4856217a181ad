import { existsSync } from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { LocalServiceLauncher } from '../../connection/connection.ts';
import type { ServiceCommand } from '../../shared/commandIds.ts';
import { describeError } from '../../shared/errors.ts';
import { Emitter, type Event } from '../../shared/event.ts';
import { lazy } from '../../shared/lazy.ts';
import type { Logger } from '../../shared/log.ts';
import { listed } from '../../shared/text.ts';
import { databaseFileName } from '../store/dataFolder.ts';
import { localFolders } from './localFolders.ts';
import type { LocalService } from './localService.ts';

/** The local service, as the rest of the extension uses it. */
export interface RegisteredLocalService extends vscode.Disposable {
  /** Loads the code that starts the service, on first use. */
  readonly launcher: () => Promise<LocalServiceLauncher>;
  /** Returns whether there may be anything to show, without loading the code that starts the service. */
  hasData(): boolean;
  /** Fires when this window's service has started, was found or is gone, so that paused polling can resume. */
  readonly onDidChange: Event<void>;
  /** Stores a model server's API key for the next starts of the service. */
  storeModelKey(baseUrl: string, key: string): Promise<void>;
  /** Runs a command. */
  run(command: ServiceCommand): Promise<void>;
}

/** Registers the local service's commands and a quiet status item that is shown only while it runs. Nothing loads before it is used. */
export function registerLocalService(
  context: vscode.ExtensionContext,
  services: { log: Logger },
): RegisteredLocalService {
  let item: vscode.StatusBarItem | undefined;
  const changed = new Emitter<void>((error) => services.log.error(describeError(error)));

  const launcher = lazy<LocalService>(async () => {
    const { createLauncher } = await import('./launcher.ts');
    const service = createLauncher(context, services);
    context.subscriptions.push(
      service.onDidChange(() => {
        show(service);
        changed.fire();
      }),
    );
    return service;
  });

  function show({ url }: LocalService): void {
    if (url === undefined) item?.hide();
    else showAddress((item ??= createItem()), url);
  }

  const commands: Record<ServiceCommand, (service: LocalService) => unknown> = {
    start: async (service) => {
      const { url } = await service.start();
      void vscode.window.setStatusBarMessage(vscode.l10n.t('The local service runs at {0}.', url), 5000);
    },
    stop: async (service) => {
      if (!(await mayEndRuns(service))) return;
      await service.stop();
      void vscode.window.setStatusBarMessage(
        vscode.l10n.t('The local service stays stopped until you refresh the Jobs view, deploy, run or chat.'),
        5000,
      );
    },
    reset,
    showLog: async (service) => {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.file(service.logPath)).then(
        (found) => found,
        () => undefined,
      );
      if (document) await vscode.window.showTextDocument(document, { preview: true });
      else
        void vscode.window.showInformationMessage(
          vscode.l10n.t('The local service has no log because it has not been started yet.'),
        );
    },
    copyUrl: async (service) => {
      const { url } = await service.start();
      await vscode.env.clipboard.writeText(url);
      void vscode.window.setStatusBarMessage(vscode.l10n.t('{0} was copied.', url), 5000);
    },
    setMailPassword: async () => (await import('./secretCommands.ts')).setMailPassword(context.secrets),
    setSecret: async () => (await import('./secretCommands.ts')).setSecret(context.secrets),
    setUpForAgents: async () => (await import('./setUpForAgents.ts')).setUpForAgents(context),
    show: choose,
  };

  return {
    launcher,
    hasData: () =>
      launcher.begun !== undefined || existsSync(path.join(localFolders(context).dataFolder, databaseFileName)),
    onDidChange: changed.event,
    async storeModelKey(baseUrl, key) {
      const [{ storeSecret }, { modelKeyOf }] = await Promise.all([
        import('./secretCommands.ts'),
        import('./serviceSecrets.ts'),
      ]);
      await storeSecret(context.secrets, modelKeyOf(baseUrl), key, baseUrl);
    },
    async run(command) {
      await commands[command](await launcher());
    },
    dispose() {
      item?.dispose();
      changed.dispose();
    },
  };
}

function createItem(): vscode.StatusBarItem {
  const item = vscode.window.createStatusBarItem('millrace.localService', vscode.StatusBarAlignment.Right, -100);
  item.name = vscode.l10n.t('Millrace: Local Service');
  item.text = '$(server-process)';
  item.command = 'millrace.service.show';
  return item;
}

function showAddress(item: vscode.StatusBarItem, url: string): void {
  item.tooltip = vscode.l10n.t(
    'The local service runs at {0}. Select to stop it, read its log or copy its address.',
    url,
  );
  item.accessibilityInformation = { label: item.tooltip };
  item.show();
}

/** Asks before active runs are ended with the service. */
async function mayEndRuns(service: LocalService): Promise<boolean> {
  const going = await wordsForGoingRuns(service);
  if (going === undefined) return true;
  const stop = vscode.l10n.t('Stop and End Runs');
  const detail = vscode.l10n.t('{0} Its schedules pause until it is started again.', going);
  return (
    (await vscode.window.showWarningMessage(
      vscode.l10n.t('Stop the local service?'),
      { modal: true, detail },
      stop,
    )) === stop
  );
}

/** Returns a sentence about the runs that would end with the service, or `undefined` if there are none. */
async function wordsForGoingRuns(service: LocalService): Promise<string | undefined> {
  const going = await service.goingRuns().catch(() => undefined);
  if (going === undefined)
    return vscode.l10n.t('It does not answer, so active runs are unknown. Stopping it ends them.');
  const { count, names } = going;
  if (count === 0) return undefined;
  const more = count - names.length;
  const runs = more > 0 && names.length > 0 ? [...names, vscode.l10n.t('{0} more', more)] : names;
  return vscode.l10n.t('Active runs that this ends: {0}.', listed(runs) || count);
}

/** Asks first, because the removal cannot be undone. */
async function reset(service: LocalService): Promise<void> {
  const remove = vscode.l10n.t('Remove Everything');
  const going = await wordsForGoingRuns(service);
  const removed = vscode.l10n.t(
    'This deletes its jobs, runs and their output, the files below dfs: and objstore:, and created endpoints from {0}. Workspace files stay. This cannot be undone.',
    service.dataFolder,
  );
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Reset the local service of this workspace?'),
    { modal: true, detail: going === undefined ? removed : `${removed}\n\n${going}` },
    remove,
  );
  if (answer !== remove) return;
  await service.reset();
  void vscode.window.showInformationMessage(
    vscode.l10n.t('The local service was reset. It starts empty when it is next used.'),
  );
}

async function choose(service: LocalService): Promise<void> {
  const picked = await vscode.window.showQuickPick(
    [
      { label: `$(debug-stop) ${vscode.l10n.t('Stop')}`, command: 'millrace.service.stop' },
      { label: `$(output) ${vscode.l10n.t('Show Log')}`, command: 'millrace.service.showLog' },
      { label: `$(link) ${vscode.l10n.t('Copy Address')}`, command: 'millrace.service.copyUrl' },
      { label: `$(trash) ${vscode.l10n.t('Reset…')}`, command: 'millrace.service.reset' },
    ],
    { title: vscode.l10n.t('Local service at {0}', service.url ?? '') },
  );
  if (picked) await vscode.commands.executeCommand(picked.command);
}
