import { codePoint } from '../../api/schema/field.ts';
import { l10n } from '../../shared/l10n.ts';
import { listedOr, shortened } from '../../shared/text.ts';
import type { ScalarValue, YamlNode } from '../yaml/jobDocument.ts';
import type { FieldType } from './fieldTree.ts';

/** Describes the values that a field accepts, to follow "must be". */
export function wantedWords(type: FieldType): string {
  switch (type.kind) {
    case 'object':
      return l10n.t('a mapping of fields');
    case 'map':
      return l10n.t('a mapping of names to values');
    case 'list':
      return l10n.t('a list');
    case 'leaf':
      switch (type.type) {
        case 'integer':
        case 'int64':
          return l10n.t('a whole number');
        case 'boolean':
          return l10n.t('true or false');
        case 'choice':
          return listedOr(type.values);
        case 'scalar':
          return l10n.t('a single value');
        case 'text':
          return l10n.t('text');
      }
  }
}

/**
 * Describes the value in the file, to follow "is".
 * @param source the value as written
 */
export function foundWords(node: YamlNode, source?: string): string {
  switch (node.kind) {
    case 'map':
      return l10n.t('a mapping');
    case 'seq':
      return l10n.t('a list');
    case 'alias':
      return l10n.t('the alias *{0}', node.name);
    case 'scalar':
      return scalarWords(node.value, source);
  }
}

function scalarWords(value: ScalarValue, source = String(value)): string {
  if (value === null) return l10n.t('empty');
  if (typeof value === 'string')
    return value === '' ? l10n.t('an empty text') : l10n.t('the text "{0}"', shortened(value));
  return typeof value === 'boolean' ? String(value) : l10n.t('the number {0}', shortened(source));
}

/** Returns a key as shown in a message. */
export function keyText(name: string): string {
  // Otherwise two names could look alike.
  const visible = name.replace(/[\p{Cf}\p{Cc}]|(?! )\p{Zs}/gu, (character) => `<${codePoint(character)}>`);
  return name === '' ? '""' : shortened(visible);
}
