import { isFields } from '../shared/fields.ts';

/**
 * The colours that an editor's theme gives to code, as far as the page of the chat tells code apart. The editor gives webviews
 * all its colours but these, which are only in the file of the theme.
 */

/** The name of a colour on the page, and scopes of TextMate grammars that have it in the editor: the first that the theme colours counts. */
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
/** `#rrggbb`, or '' for the colour of the default themes. */
export type CodeColours = Record<CodeColour, string>;

/** The simple keys of the setting `editor.tokenColorCustomizations`. */
const settingKeys = {
  comments: ['comment'],
  keywords: ['keyword'],
  strings: ['string'],
  numbers: ['number'],
  variables: ['name'],
  functions: ['title'],
  types: ['type'],
} as const;

/** Only what is surely a colour gets into the page's style. */
const colourOf = (value: unknown): string | undefined => {
  const text = isFields(value) ? value['foreground'] : value;
  return typeof text === 'string' && /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text) ? text : undefined;
};

/**
 * @param rules the `tokenColors` of a theme and what it includes, the ones that count less first; other values are passed over
 * @param customizations the value of the setting `editor.tokenColorCustomizations`
 * @param theme its name in `workbench.colorTheme`, which the setting may be limited to
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

/** The colour of the rule that names most of the scope, and of those the last one. What only holds inside of something else is passed over. */
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
