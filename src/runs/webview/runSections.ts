import { l10n } from '../../shared/l10n.ts';
import { h } from '../../shared/webview/dom.ts';
import type { RunView } from '../page/pageProtocol.ts';
import { facts, outlineButton, linkTo, notice, section, stateIcon, type Post } from './pageParts.ts';
import { taskGraph } from './taskGraph.ts';

/** Draws the cause and the facts, without the output. */
export function runSummary(view: RunView, post: Post): HTMLElement[] {
  const left = [time(view), attempts(view, post), parameters(view)].filter((part) => part !== undefined);
  const about = view.facts.length > 0 ? section(l10n.t('About This Run'), '', facts(view.facts, post)) : undefined;
  return [
    view.notice ? notice(view.notice, post) : undefined,
    view.message === undefined
      ? undefined
      : h(
          'div',
          { class: 'message' },
          h('p', { class: 'mono' }, view.message),
          view.messageNote === undefined ? undefined : h('p', { class: 'quiet' }, view.messageNote),
        ),
    view.limit && h('p', {}, `${view.limit.text} `, linkTo(view.limit.link, post)),
    frame(view, post),
    view.result ? section(view.result.label, '', h('pre', { class: 'box result' }, view.result.text)) : undefined,
    view.tasks?.length ? section(l10n.t('Tasks'), tasksNote(view.tasks), taskGraph(view.tasks, post)) : undefined,
    left.length + (about ? 1 : 0) > 0
      ? h('div', { class: 'columns' }, left.length > 0 ? h('div', {}, ...left) : undefined, about)
      : undefined,
  ].filter((part) => part !== undefined);
}

function tasksNote(tasks: NonNullable<RunView['tasks']>): string {
  const shown = tasks.find(({ isShown }) => isShown);
  return shown ? l10n.t('The error and output are those of {0}.', shown.key) : '';
}

function frame({ frame: failing, callers, hidden }: RunView, post: Post): HTMLElement | undefined {
  if (!failing) return undefined;
  const place = { label: failing.label, place: failing.place };
  return h(
    'section',
    { class: 'section', label: l10n.t('Failing line') },
    h(
      'div',
      { class: 'box' },
      h(
        'p',
        { class: 'box-head' },
        failing.name === '' ? undefined : h('strong', {}, failing.name),
        failing.name === '' ? undefined : ` ${l10n.t('in')} `,
        linkTo(place, post),
        failing.note === undefined ? undefined : h('span', { class: 'quiet grow end' }, failing.note),
        outlineButton('go-to-file', l10n.t('Open {0}', failing.label), () =>
          post({ type: 'openPlace', place: failing.place }),
        ),
      ),
      h(
        'div',
        { class: 'code', role: 'group', label: l10n.t('Lines of {0}', failing.label) },
        ...failing.lines.map(({ number, text, isFailing }) =>
          h(
            'div',
            { class: isFailing ? 'code-line failing' : 'code-line' },
            h('span', { class: 'number', attributes: { 'aria-hidden': 'true' } }, String(number)),
            h('span', {}, text === '' ? ' ' : text),
          ),
        ),
      ),
    ),
    callers.length === 0
      ? undefined
      : h(
          'p',
          { class: 'quiet callers' },
          `${l10n.t('Called from')} `,
          ...callers.flatMap((caller, index) => [index > 0 ? ', ' : undefined, linkTo(caller, post)]),
        ),
    hidden &&
      h(
        'details',
        { class: 'callers' },
        h(
          'summary',
          {},
          hidden.length === 1 ? l10n.t('1 library frame') : l10n.t('{0} frames of libraries', hidden.length),
        ),
        h('ul', { class: 'mono' }, ...hidden.map((step) => h('li', {}, step))),
      ),
  );
}

function time({ time: parts }: RunView): HTMLElement | undefined {
  if (parts.length === 0) return undefined;
  const whole = parts.reduce((sum, { durationInMs }) => sum + durationInMs, 0);
  const fill = (part: (typeof parts)[number]): string =>
    `fill-${part.striped ? 'striped' : part.tone}${part.isLive ? ' live' : ''}`;
  return section(
    l10n.t('Time'),
    '',
    h(
      'div',
      { class: 'bar', attributes: { 'aria-hidden': 'true' } },
      ...parts.map((part) => {
        const piece = h('span', { class: fill(part) });
        piece.style.flexGrow = String(Math.max(part.durationInMs / Math.max(whole, 1), 0.002));
        return piece;
      }),
    ),
    h(
      'ul',
      { class: 'keys' },
      ...parts.map((part) =>
        h(
          'li',
          { class: fill(part) },
          h('span', { class: 'swatch', attributes: { 'aria-hidden': 'true' } }),
          part.label,
        ),
      ),
    ),
  );
}

function attempts({ attempts: all }: RunView, post: Post): HTMLElement | undefined {
  if (all.length === 0) return undefined;
  return section(
    l10n.t('Attempts'),
    '',
    h(
      'ol',
      { class: 'attempts' },
      ...all.map((attempt) => {
        const piece = h('span', { class: `fill-${attempt.state.tone}` });
        piece.style.marginInlineStart = `${attempt.from * 100}%`;
        piece.style.width = `${Math.max((attempt.to - attempt.from) * 100, 1)}%`;
        const label = attempt.isThis
          ? h('strong', {}, attempt.label)
          : attempt.runId === undefined
            ? attempt.label
            : linkTo({ label: attempt.label, runId: attempt.runId }, post);
        return h(
          'li',
          {},
          stateIcon(attempt.state),
          label,
          h('span', { class: 'line', attributes: { 'aria-hidden': 'true' } }, piece),
          h('span', { class: 'quiet' }, attempt.duration),
        );
      }),
    ),
  );
}

function parameters({ parameters: given }: RunView): HTMLElement | undefined {
  if (!given) return undefined;
  // Long text scrolls within its cell, also by keyboard.
  const cell = (text: string): HTMLElement =>
    h('td', {}, h('div', { class: 'mono cell', attributes: text.length > 200 ? { tabindex: '0' } : {} }, text));
  const now = ({ sent, inJob }: { sent: string; inJob: string }): HTMLElement =>
    sent === inJob ? h('td', { class: 'quiet' }, l10n.t('same')) : cell(inJob);
  return section(
    l10n.t('Parameters'),
    given.note,
    h(
      'table',
      { class: 'table' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', { attributes: { scope: 'col' } }, given.isList ? l10n.t('Position') : l10n.t('Name')),
          h('th', { attributes: { scope: 'col' } }, l10n.t('Sent')),
          given.isJobKnown ? h('th', { attributes: { scope: 'col' } }, l10n.t('In the job')) : undefined,
        ),
      ),
      h(
        'tbody',
        {},
        ...given.rows.map((row) =>
          h(
            'tr',
            {},
            h('th', { class: 'mono', attributes: { scope: 'row' } }, row.name),
            cell(row.sent),
            given.isJobKnown ? now(row) : undefined,
          ),
        ),
      ),
    ),
  );
}
