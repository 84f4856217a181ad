import { l10n } from '../../shared/l10n.ts';
import type { PageProfile } from './pagePorts.ts';
import type { JobFileView, PageAction, PageState } from './pageProtocol.ts';

/** How a file relates to its job and to its last deploy; `differs`: unknown. */
export interface FileSync {
  readonly kind: 'same' | 'here' | 'there' | 'both' | 'differs' | 'broken';
  readonly rows: JobFileView['rows'];
}

/** A job file of the workspace that was deployed to the job. */
export interface FileOfJob {
  readonly name: string;
  /** `undefined` if currently unknown. */
  readonly sync?: FileSync;
}

const icons: Readonly<Record<FileSync['kind'], readonly [icon: string, tone: PageState['tone']]>> = {
  same: ['pass', 'good'],
  here: ['cloud-upload', 'look'],
  there: ['warning', 'look'],
  both: ['git-merge', 'look'],
  differs: ['question', 'none'],
  broken: ['error', 'bad'],
};

/** @param index index among the job's files, by which the buttons name it */
export function jobFileView(file: FileOfJob, index: number, profile: PageProfile, isCurrent: boolean): JobFileView {
  const { name, sync } = file;
  const link = { label: name, action: `file${index}` };
  if (!isCurrent || !sync)
    return { link, words: l10n.t('Deployed to this job'), actions: isCurrent ? [compare(index)] : [], rows: [] };
  const { kind, rows } = sync;
  const [icon, tone] = icons[kind];
  const isHere = kind === 'here' || kind === 'both' || kind === 'differs';
  const isThere = kind === 'there' || kind === 'both' || kind === 'differs';
  const actions: (PageAction | false)[] = [
    kind !== 'broken' && compare(index),
    isHere && !profile.isReadOnly && { id: `deploy${index}`, label: l10n.t('Deploy'), icon: 'cloud-upload' },
    isThere && { id: `pull${index}`, label: l10n.t('Pull into File') },
  ];
  return {
    link,
    state: { icon, tone, spins: false },
    words: wordsOf(kind, profile.name),
    actions: actions.filter((action) => action !== false),
    rows,
  };
}

function compare(index: number): PageAction {
  return { id: `compare${index}`, label: l10n.t('Compare'), icon: 'go-to-file' };
}

function wordsOf(kind: FileSync['kind'], profile: string): string {
  switch (kind) {
    case 'same':
      return l10n.t('In sync with {0}', profile);
    case 'here':
      return l10n.t('Changed here since the last deploy to {0}', profile);
    case 'there':
      return l10n.t('Changed on {0} since the last deploy', profile);
    case 'both':
      return l10n.t('Changed here and on {0} since the last deploy', profile);
    case 'differs':
      return l10n.t('Differs from the job on {0}; the last deploy is unknown', profile);
    case 'broken':
      return l10n.t('Has errors, so it cannot be compared or deployed');
  }
}
