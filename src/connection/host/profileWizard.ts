import * as vscode from 'vscode';
import { AppError } from '../../shared/errors.ts';
import { plainText } from '../../shared/text.ts';
import { checkAddress, checkConnection, type ConnectionCheck } from '../checkConnection.ts';
import type { AuthKind, Profile } from '../connection.ts';
import { formatEndpointList, parseEndpointList } from '../endpointList.ts';
import { checkBaseUrl, isHeaderName, isSentInTheClear, newProfileId, originOf } from '../profileSettings.ts';
import { saveProfile } from '../saveProfile.ts';
import { inputStep, pickStep, type StepAnswer, type StepProblem } from './inputStep.ts';
import { draftClient, type ProfileServices } from './profileServices.ts';
import { splitCommand } from './tokenCommand.ts';

type StepName = 'address' | 'kind' | 'detail' | 'secret' | 'name' | 'marks' | 'endpoints';
type Draft = { -readonly [Key in keyof Profile]: Profile[Key] };

/** The wizard's state; a problem is shown at the step that asks for the value. */
interface Progress {
  readonly draft: Draft;
  readonly existing: Profile | undefined;
  secret: string;
  problem?: { step: StepName; message: string };
  check?: Extract<ConnectionCheck, { ok: true }>;
}

const stepNames: readonly StepName[] = ['address', 'kind', 'detail', 'secret', 'name', 'marks', 'endpoints'];

/**
 * Asks for a new profile, or for changes to one. The address is checked before a secret is typed, and the whole profile before it is saved;
 * a problem is shown at the step that caused it.
 * @returns the saved profile, or `undefined` if the user canceled
 */
export async function runProfileWizard(services: ProfileServices, existing?: Profile): Promise<Profile | undefined> {
  const progress: Progress = {
    existing,
    secret: existing ? ((await services.vault.get(existing)) ?? '') : '',
    draft: existing
      ? { ...existing }
      : {
          id: '',
          name: '',
          kind: 'remote',
          baseUrl: '',
          authKind: 'bearer',
          production: false,
          readOnly: false,
          endpoints: [],
        },
  };
  let index = 0;
  let direction = 1;
  while (index < stepNames.length) {
    const name = stepNames[index] ?? 'address';
    if (isSkipped(name, progress)) {
      index += direction;
      continue;
    }
    const answer = await steps[name](progress, services);
    if (answer.kind === 'leave') return undefined;
    const goTo = (progress as { problem?: Progress['problem'] }).problem?.step;
    direction = answer.kind === 'back' ? -1 : 1;
    if (goTo !== undefined) index = stepNames.indexOf(goTo);
    else index = Math.max(0, index + direction);
  }
  return save(progress, services);
}

function isSkipped(step: StepName, { draft, check }: Progress): boolean {
  if (step === 'detail') return draft.authKind === 'bearer' || draft.authKind === 'none';
  if (step === 'secret') return draft.authKind === 'none' || draft.authKind === 'command';
  // Until the check, the step is not counted: most services list their endpoints.
  if (step === 'endpoints') return check?.listsEndpoints !== false && draft.endpoints.length === 0;
  return false;
}

type Step = (progress: Progress, services: ProfileServices) => Promise<StepAnswer<unknown>>;

const steps: Readonly<Record<StepName, Step>> = {
  address: askAddress,
  kind: askKind,
  detail: askDetail,
  secret: askSecret,
  name: askName,
  marks: askMarks,
  endpoints: askEndpoints,
};

function common(
  progress: Progress,
  step: StepName,
): { title: string; step: number; totalSteps: number; problem?: string } {
  const problem = progress.problem?.step === step ? progress.problem.message : undefined;
  if (problem !== undefined) progress.problem = undefined;
  const shown = stepNames.filter((name) => name === step || !isSkipped(name, progress));
  return {
    title: progress.existing
      ? vscode.l10n.t('Edit Profile "{0}"', progress.existing.name)
      : vscode.l10n.t('Add Profile'),
    step: shown.indexOf(step) + 1,
    totalSteps: shown.length,
    problem,
  };
}

async function askAddress(progress: Progress, services: ProfileServices): Promise<StepAnswer<string>> {
  const { draft } = progress;
  const answer = await inputStep({
    ...common(progress, 'address'),
    prompt: vscode.l10n.t('Address of the service. The address is checked before any secret is sent.'),
    placeholder: 'https://workspace.example.com',
    value: draft.baseUrl,
    async check(text, signal) {
      const url = checkBaseUrl(text);
      if (!url.ok) return { message: url.problem };
      // Sent without credentials: a mistyped host learns nothing but that a request was made.
      const problem = await checkAddress(
        draftClient({ ...draft, baseUrl: url.value, authKind: 'none' }, '', services.log),
        { signal },
      );
      if (problem) return { message: problem.message, soft: problem.place !== 'address' };
      return isSentInTheClear(url.value)
        ? {
            message: vscode.l10n.t(
              'http sends the sign-in in plain text over the network. Use https if the service supports it.',
            ),
            soft: true,
          }
        : undefined;
    },
  });
  if (answer.kind === 'value') {
    const url = checkBaseUrl(answer.value);
    const before = originOf(draft);
    draft.baseUrl = url.ok ? url.value : answer.value;
    // A secret belongs to the origin for which it was entered.
    if (progress.existing && originOf(draft) !== before) progress.secret = '';
  }
  return answer;
}

async function askKind(progress: Progress, services: ProfileServices): Promise<StepAnswer<unknown>> {
  const item = (value: AuthKind, label: string, detail: string): vscode.QuickPickItem & { value: AuthKind } => ({
    value,
    label,
    detail,
  });
  const answer = await pickStep<AuthKind>({
    ...common(progress, 'kind'),
    placeholder: vscode.l10n.t('How to sign in'),
    selected: [progress.draft.authKind],
    items: [
      item('bearer', vscode.l10n.t('Access token'), 'Authorization: Bearer …'),
      item('basic', vscode.l10n.t('User name and password'), 'Authorization: Basic …'),
      item('header', vscode.l10n.t('A custom header'), vscode.l10n.t('For example X-Api-Key')),
      item(
        'command',
        vscode.l10n.t('Output of a command'),
        vscode.l10n.t('A program on this machine prints the token. Trusted workspaces only'),
      ),
      item('none', vscode.l10n.t('Nothing'), vscode.l10n.t('The service requires no sign-in')),
    ],
  });
  if (answer.kind !== 'value') return answer;
  const kind = answer.value[0] ?? 'bearer';
  if (kind !== progress.draft.authKind) progress.secret = '';
  progress.draft.authKind = kind;
  if (kind !== 'none') return answer;
  const problem = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Checking {0}…', progress.draft.baseUrl ?? ''),
    },
    () => checkAll(progress, services, 'kind'),
  );
  // The list cannot show a message, so return to the address step.
  if (problem) progress.problem = { step: 'address', message: problem.message };
  return answer;
}

async function askDetail(progress: Progress, services: ProfileServices): Promise<StepAnswer<string>> {
  const { draft } = progress;
  const base = common(progress, 'detail');
  if (draft.authKind === 'header') {
    const answer = await inputStep({
      ...base,
      prompt: vscode.l10n.t('Name of the header with the secret'),
      placeholder: 'X-Api-Key',
      value: draft.headerName,
      check: (text) =>
        Promise.resolve(
          isHeaderName(text.trim())
            ? undefined
            : { message: vscode.l10n.t('A header name consists of letters, digits and hyphens, such as X-Api-Key.') },
        ),
    });
    if (answer.kind === 'value') draft.headerName = answer.value.trim();
    return answer;
  }
  if (draft.authKind === 'basic') {
    const answer = await inputStep({
      ...base,
      prompt: vscode.l10n.t('User name'),
      value: draft.userName,
      check: (text) =>
        Promise.resolve(
          text.trim() === '' || text.includes(':')
            ? { message: vscode.l10n.t('Enter a user name without a colon.') }
            : undefined,
        ),
    });
    if (answer.kind === 'value') draft.userName = answer.value.trim();
    return answer;
  }
  return inputStep({
    ...base,
    prompt: vscode.l10n.t(
      'Program with arguments. It runs without a shell, in your home folder, and prints the token.',
    ),
    placeholder: 'my-cli token --host https://workspace.example.com',
    value: draft.command,
    async check(text, signal) {
      splitCommand(text);
      if (!vscode.workspace.isTrusted)
        return {
          message: vscode.l10n.t(
            'Commands do not run while the workspace is not trusted. Trust it, or choose another kind of sign-in.',
          ),
        };
      draft.command = text.trim();
      return checkAll(progress, services, 'detail', signal);
    },
  });
}

async function askSecret(progress: Progress, services: ProfileServices): Promise<StepAnswer<string>> {
  const { draft } = progress;
  const answer = await inputStep({
    ...common(progress, 'secret'),
    prompt: secretPrompt(draft),
    value: progress.secret,
    password: true,
    async check(text, signal) {
      if (text.trim() === '')
        return { message: vscode.l10n.t('Enter it, or go back and choose another kind of sign-in.') };
      progress.secret = draft.authKind === 'basic' ? text : text.trim();
      return checkAll(progress, services, 'secret', signal);
    },
  });
  return answer;
}

/** Returns the prompt for the secret of the profile's sign-in type. */
export function secretPrompt(profile: Profile): string {
  const host = URL.parse(profile.baseUrl ?? '')?.host ?? '';
  if (profile.authKind === 'basic')
    return vscode.l10n.t(
      "Password of {0} for {1}. It is stored in the editor's secret storage.",
      profile.userName ?? '',
      host,
    );
  if (profile.authKind === 'header')
    return vscode.l10n.t(
      "Value of the header {0} for {1}. It is stored in the editor's secret storage.",
      profile.headerName ?? '',
      host,
    );
  return vscode.l10n.t("Access token for {0}. It is stored in the editor's secret storage.", host);
}

/** Checks the whole profile. A problem with the address sends the user to that step; any other is shown at the step that found it. */
async function checkAll(
  progress: Progress,
  services: ProfileServices,
  at: StepName,
  signal?: AbortSignal,
): Promise<StepProblem | undefined> {
  const check = await checkConnection(draftClient(progress.draft, progress.secret, services.log), { signal });
  if (check.ok) {
    progress.check = check;
    return undefined;
  }
  if (check.place !== 'address' || at === 'kind') return { message: check.message };
  progress.problem = { step: 'address', message: check.message };
  return undefined;
}

async function askName(progress: Progress, services: ProfileServices): Promise<StepAnswer<string>> {
  const { draft } = progress;
  const answer = await inputStep({
    ...common(progress, 'name'),
    prompt: [
      vscode.l10n.t('The service answers.'),
      ...(progress.check?.notes ?? []),
      vscode.l10n.t('Name of the profile, shown in the status bar'),
    ].join(' '),
    value: draft.name === '' ? suggestedName(draft) : draft.name,
    check: (text) => {
      const name = text.trim();
      if (name === '') return Promise.resolve({ message: vscode.l10n.t('Enter a name.') });
      const taken = services.registry.profiles.some(
        (profile) => profile.id !== draft.id && profile.name.toLowerCase() === name.toLowerCase(),
      );
      return Promise.resolve(
        taken ? { message: vscode.l10n.t('Another profile has this name. Enter another one.') } : undefined,
      );
    },
  });
  if (answer.kind === 'value') draft.name = answer.value.trim();
  return answer;
}

function suggestedName(draft: Profile): string {
  const url = URL.parse(draft.baseUrl ?? '');
  return url ? (/^[\d.:[\]]+$/.test(url.hostname) ? url.host : (url.hostname.split('.')[0] ?? '')) : '';
}

async function askMarks(progress: Progress): Promise<StepAnswer<unknown>> {
  const { draft } = progress;
  const looksLikeProduction = /\bprod(uction)?\b/i.test(`${draft.name} ${draft.baseUrl ?? ''}`.replace(/[_-]/g, ' '));
  const answer = await pickStep<'production' | 'readOnly'>({
    ...common(progress, 'marks'),
    placeholder: vscode.l10n.t('Select what applies, then press Enter'),
    many: true,
    selected: [
      ...(draft.production || (!progress.existing && looksLikeProduction) ? ['production' as const] : []),
      ...(draft.readOnly ? ['readOnly' as const] : []),
    ],
    items: [
      {
        value: 'production',
        label: `$(warning) ${vscode.l10n.t('Production')}`,
        detail: vscode.l10n.t('Shown in red. Every change is confirmed by name'),
      },
      {
        value: 'readOnly',
        label: `$(lock) ${vscode.l10n.t('Read-only')}`,
        detail: vscode.l10n.t('Changes are refused before anything is sent. Chat and reading work'),
      },
    ],
  });
  if (answer.kind === 'value') {
    draft.production = answer.value.includes('production');
    draft.readOnly = answer.value.includes('readOnly');
  }
  return answer;
}

async function askEndpoints(progress: Progress): Promise<StepAnswer<string>> {
  const answer = await inputStep({
    ...common(progress, 'endpoints'),
    prompt: vscode.l10n.t(
      'Endpoints to chat with, separated by commas; name:completion and name:embedding for other tasks. Optional.',
    ),
    placeholder: 'my-model, my-embedder:embedding',
    value: formatEndpointList(progress.draft.endpoints),
    check: (text) => {
      const { problem } = parseEndpointList(text);
      return Promise.resolve(problem === undefined ? undefined : { message: problem });
    },
  });
  if (answer.kind === 'value') progress.draft.endpoints = parseEndpointList(answer.value).endpoints;
  return answer;
}

async function save(progress: Progress, services: ProfileServices): Promise<Profile> {
  const { draft, secret } = progress;
  if (!progress.check)
    throw new AppError('internal', vscode.l10n.t('The profile was not checked, so it was not saved.'));
  const profile: Profile = { ...draft, id: draft.id === '' ? newProfileId(draft.name, crypto.randomUUID()) : draft.id };
  const isSecret = profile.authKind !== 'none' && profile.authKind !== 'command';
  await saveProfile(profile, isSecret ? secret : undefined, {
    vault: services.vault,
    save: (entry) => services.registry.save(entry),
    warn(message) {
      services.log.warn(message);
      void vscode.window.showWarningMessage(plainText(message));
    },
  });
  return profile;
}
