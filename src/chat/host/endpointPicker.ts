import * as vscode from 'vscode';
import { playgroundTaskOf } from '../chatParameters.ts';
import type { ChosenEndpoint } from '../chatPorts.ts';
import type { Endpoint } from '../protocol.ts';

type EndpointItem = vscode.QuickPickItem & Pick<Endpoint, 'task'> & { isCurrent?: boolean };

/** Asks for one of the endpoints, or for the name of another. The list is shown at once, and filled when it is had. */
export async function pickEndpoint(
  endpoints: Promise<readonly Endpoint[]>,
  current: ChosenEndpoint | undefined,
): Promise<ChosenEndpoint | undefined> {
  const picker = vscode.window.createQuickPick<EndpointItem>();
  picker.title = vscode.l10n.t('Endpoint of This Conversation');
  picker.placeholder = vscode.l10n.t('Choose an endpoint to chat with, or one to try completions or embeddings');
  picker.matchOnDescription = picker.matchOnDetail = picker.busy = true;
  const accepted = new Promise<EndpointItem | undefined>((resolve) => {
    // Before the list is there, nothing is selected.
    picker.onDidAccept(() => picker.selectedItems[0] && resolve(picker.selectedItems[0]));
    picker.onDidHide(() => resolve(undefined));
  });
  picker.show();
  try {
    const another: EndpointItem = { label: vscode.l10n.t('Another endpoint…') };
    const items = endpointItems(await endpoints, current);
    picker.items = [...items, separator(''), another];
    picker.activeItems = items.filter(({ isCurrent }) => isCurrent);
    picker.busy = false;
    const picked = await accepted;
    return picked === another ? await askEndpoint(current) : picked && { name: picked.label, task: picked.task };
  } finally {
    picker.dispose();
  }
}

/** By what they do, as the page differs with that. */
function endpointItems(endpoints: readonly Endpoint[], current: ChosenEndpoint | undefined): EndpointItem[] {
  const isKnown = !current || endpoints.some((endpoint) => isSame(endpoint, current));
  const all = isKnown ? endpoints : [{ ...current, server: vscode.l10n.t('not in the list') }, ...endpoints];
  const groups = [
    [undefined, vscode.l10n.t('Chat')],
    ['completion', vscode.l10n.t('Completions')],
    ['embedding', vscode.l10n.t('Embeddings')],
  ] as const;
  return groups.flatMap(([task, title]) => {
    const items = all.filter((endpoint) => endpoint.task === task).map((endpoint) => itemOf(endpoint, current));
    return items.length > 0 ? [separator(title), ...items] : [];
  });
}

/** One name may do two things, as the settings of a profile have it. */
function isSame(endpoint: Endpoint, current: ChosenEndpoint): boolean {
  return endpoint.name === current.name && endpoint.task === current.task;
}

function itemOf(endpoint: Endpoint, current: ChosenEndpoint | undefined): EndpointItem {
  const { name, server, detail, task } = endpoint;
  const isCurrent = current !== undefined && isSame(endpoint, current);
  return {
    label: name,
    description: isCurrent ? `${server}, ${vscode.l10n.t('current')}` : server,
    detail,
    task,
    isCurrent,
  };
}

function separator(label: string): EndpointItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

/** The name of an endpoint, with its task as in the settings of a profile: `name:embedding`. */
async function askEndpoint(current: ChosenEndpoint | undefined): Promise<ChosenEndpoint | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Endpoint of This Conversation'),
    prompt: vscode.l10n.t(
      'Name of an endpoint of the current profile; name:completion or name:embedding for another task',
    ),
    value: current?.task ? `${current.name}:${current.task}` : current?.name,
    validateInput: (typed) => (typed.trim() === '' ? vscode.l10n.t('Type the name of an endpoint.') : undefined),
  });
  const { name, task } =
    /^(?<name>.*?)(?::(?<task>chat|completion|embedding))?$/.exec(text?.trim() ?? '')?.groups ?? {};
  return name ? { name, task: playgroundTaskOf(task) } : undefined;
}
