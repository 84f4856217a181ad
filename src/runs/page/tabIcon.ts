import { runColors } from '../runState.ts';
import type { PageState, Tone } from './pageProtocol.ts';

/** A color that the manifest declares, for dark and for light themes. */
export interface DeclaredColor {
  readonly id: string;
  readonly defaults: { readonly dark: string; readonly light: string };
}

const colorOfTone: Readonly<Record<Tone, string>> = {
  good: runColors.succeeded,
  bad: runColors.failed,
  now: runColors.active,
  look: runColors.waiting,
  none: runColors.skipped,
};

const ring = '<circle cx="8" cy="8" r="6.2"/>';

/** Drawn like the page's icons of the same names. A tab cannot use those: it takes images only. */
const shapes: Readonly<Record<string, string>> = {
  pass: `${ring}<path d="m5 8.2 2.2 2.2L11 6"/>`,
  error: `${ring}<path d="m5.8 5.8 4.4 4.4m0-4.4-4.4 4.4"/>`,
  'run-errors': '<path d="M3 2v8l6-4zM9 10l5 5m0-5-5 5"/>',
  watch: '<circle cx="8" cy="8" r="4.4"/><path d="M8 6v2l1.4 1M6 3.8l.4-2.4h3.2l.4 2.4M6 12.2l.4 2.4h3.2l.4-2.4"/>',
  clock: `${ring}<path d="M8 4.4V8l2.6 1.6"/>`,
  'sync-ignored': '<path d="M13.5 8A5.5 5.5 0 0 1 4 11.8m-1.5-3.8A5.5 5.5 0 0 1 12 4.2M2 2l12 12"/>',
  loading: '<path d="M8 1.8A6.2 6.2 0 1 1 1.8 8"/>',
  'circle-slash': `${ring}<path d="m3.8 12.2 8.4-8.4"/>`,
  'debug-step-over': '<path d="M2 8.5a6 6 0 0 1 11.4-2M13.8 2.5v4.2H9.6"/><circle cx="8" cy="12.5" r="1.2"/>',
  warning: '<path d="M8 2 14.5 13.5h-13zM8 6.2v3.6m0 1.4v.6"/>',
  'debug-pause': '<path d="M5 3v10m6-10v10"/>',
  'debug-alt':
    '<path d="M7 6V2.5L13.5 7 9.6 9.7M2.8 9.5h4.4v2a2.2 2.2 0 0 1-4.4 0zm.8 0a1.4 1.4 0 0 1 2.8 0M2.8 11.2H1m8 0H7.2M3 13.2l-1.4 1.2M7 13.2l1.4 1.2"/>',
  question: `${ring}<path d="M6 6.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4m0 1.6v.6"/>`,
};

/** Returns the image of a state for a tab as data URIs, in the colors of the tree. */
export function tabIcon({ icon, tone }: PageState, colors: readonly DeclaredColor[]): { light: string; dark: string } {
  const color = colors.find(({ id }) => id === colorOfTone[tone])?.defaults;
  const draw = (stroke = '#888888'): string =>
    `data:image/svg+xml;base64,${btoa(
      '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" fill="none" stroke-width="1.4" ' +
        `stroke-linecap="round" stroke="${stroke}">${shapes[icon] ?? ring}</svg>`,
    )}`;
  return { light: draw(color?.light), dark: draw(color?.dark) };
}
