import { isFields } from '../shared/fields.ts';

/**
 * Theme colors for the kinds of code that the chat webview distinguishes. The editor passes all its colors to webviews except these, which
 * exist only in the theme's file.
 */

/**
 * Color names in the webview, each with TextMate scopes that have this color in the editor: the first scope that the theme colors is used.
 */
const scopesOf = {
  comment: ['comment.line'],
  keyword: ['keyword.control.flow', 'storage.type'],
  literal: ['constant.language'],
  key: ['entity.name.tag.yaml'],
  string: ['string.quoted.double'],
  number: ['constant.numeric'],
  name: ['variable.parameter', 'variable.other'],
  title: ['entity.name.function', 'support.function'],
  type: ['entity.name.type.class', 'support.type'],
} as const;

type CodeColour = keyof typeof scopesOf;
/** Color as `#rrggbb`, or '' for the color of the default themes. */
export type CodeColours = Record<CodeColour, string>;

/** Simple keys of the setting `editor.tokenColorCustomizations`. */
const settingKeys = {
  comments: ['comment'],
  keywords: ['keyword'],
  strings: ['string'],
  numbers: ['number'],
  variables: ['name'],
  functions: ['title'],
  types: ['type'],
} as const;

/** Only valid colors may get into the webview's style. */
const colourOf = (value: unknown): string | undefined => {
  const text = isFields(value) ? value['foreground'] : value;
  return typeof text === 'string' && /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text) ? text : undefined;
};

/**
 * Returns the code colors of a theme.
 * @param rules the `tokenColors` of a theme and its includes, in ascending priority; other values are skipped
 * @param customizations the value of the setting `editor.tokenColorCustomizations`
 * @param theme the theme's name in `workbench.colorTheme`, to which the setting may be limited
 */
export function codeColours(rules: readonly unknown[], customizations: unknown, theme: string): CodeColours {
  const settings = isFields(customizations) ? [customizations, customizations[`[${theme}]`]].filter(isFields) : [];
  const all = [
    ...rules,
    ...settings.flatMap(({ textMateRules }) => (Array.isArray(textMateRules) ? textMateRules : [])),
  ];
  const found = Object.fromEntries(
    Object.entries(scopesOf).map(([name, scopes]) => [
      name,
      scopes.map((scope) => colourOfScope(all, scope)).find((colour) => colour !== undefined) ?? '',
    ]),
  ) as CodeColours;
  for (const setting of settings)
    for (const [key, names] of Object.entries(settingKeys))
      for (const name of names) {
        const colour = colourOf(setting[key]);
        if (colour !== undefined) found[name] = colour;
      }
  return found;
}

/**
 * Returns the color of the most specific rule for the scope, and among those the last. Rules that apply only inside another scope are
 * skipped.
 */
function colourOfScope(rules: readonly unknown[], scope: string): string | undefined {
  let [best, length] = [undefined as string | undefined, 0];
  for (const rule of rules) {
    if (!isFields(rule)) continue;
    const colour = colourOf(rule['settings']);
    if (colour === undefined) continue;
    const scopes = typeof rule['scope'] === 'string' ? rule['scope'].split(',') : rule['scope'];
    for (const one of Array.isArray(scopes) ? (scopes as unknown[]) : []) {
      const selector = typeof one === 'string' ? one.trim() : '';
      if (selector.length >= length && selector !== '' && (scope === selector || scope.startsWith(`${selector}.`)))
        [best, length] = [colour, selector.length];
    }
  }
  return best;
}
