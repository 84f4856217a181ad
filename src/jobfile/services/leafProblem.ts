import { isDefaultMessage, ruleOf } from '../../api/schema/field.ts';
import { l10n } from '../../shared/l10n.ts';
import { similarNames } from '../../shared/similarNames.ts';
import { listedOr, shortened } from '../../shared/text.ts';
import type { LeafType } from '../model/fieldTree.ts';
import { foundWords, wantedWords } from '../model/words.ts';
import type { Problem, KeyNode, MapNode, ScalarNode, SeqNode } from '../yaml/jobDocument.ts';

const int32Limit = 2_147_483_647;
/** Values that YAML 1.1 and people read as booleans, and YAML 1.2 reads as text. */
const truths: Readonly<Record<string, string>> = {
  yes: 'true',
  on: 'true',
  y: 'true',
  true: 'true',
  no: 'false',
  off: 'false',
  n: 'false',
  false: 'false',
};

/**
 * Returns the problem of a value where a single one is expected, or `undefined` if there is none.
 * @param text the whole file, so that a number is shown and quoted as written
 */
export function leafProblem(
  node: ScalarNode | MapNode | SeqNode,
  type: LeafType,
  name: string,
  text: string,
): Problem | undefined {
  if (node.kind !== 'scalar') {
    const start = node.kind === 'map' && !node.flow ? (node.entries[0]?.key ?? node) : node;
    const end = node.flow ? node.end : start.end;
    return error(
      'wrongType',
      l10n.t('{0} must be {1}, but it is {2}. Write a single value.', name, wantedWords(type), foundWords(node)),
      start.start,
      Math.max(end, start.start + 1),
    );
  }
  const source = text.slice(node.start, node.end);
  const replacements = replacementsFor(node, type, source);
  if (replacements === undefined) return limitProblem(node, type, name, source) ?? leadingZero(node, name, source);
  if (typeof node.value === 'string' && (template.test(node.value) || /\{\{[^{}]*\}\}/.test(node.value)))
    return error(
      'template',
      l10n.t(
        '{0} must be {1}. Job files are not rendered as templates, so write the value instead of {2}.',
        name,
        wantedWords(type),
        shortened(node.value),
      ),
      node.start,
      node.end,
    );
  // YAML reads some values of an enumeration, such as true, as something other than text.
  const wanted = isUnquoted(node.value, type) ? l10n.t('text') : wantedWords(type);
  const remedy = replacements[0] === undefined ? otherRemedy(type) : remedyWords(type, replacements);
  return error(
    type.type === 'choice' ? 'notAllowed' : 'wrongType',
    l10n.t('{0} must be {1}, but it is {2}. {3}', name, wanted, foundWords(node, source), remedy),
    node.start,
    Math.max(node.end, node.start + 1),
    replacements,
  );
}

function isUnquoted(value: ScalarNode['value'], type: LeafType): boolean {
  return type.type === 'choice' && typeof value !== 'string' && type.values.includes(String(value));
}

/** A placeholder of another tool: `${name}`, `<%= name %>`, or a whole value such as `$NAME`. */
const template = /\$\{[^}]*\}|<%[^%]{0,300}%>|^\$[A-Za-z_]\w{0,100}(?=\/|$)/;

/** Fields whose value is never a text that another program reads. */
const plainFields = new Set([
  'name',
  'python_file',
  'notebook_path',
  'existing_cluster_id',
  'pipeline_id',
  'spark_version',
  'node_type_id',
]);

/** Returns a warning about a placeholder such as `${env}` in a value that the service takes as it is. */
export function placeholder({ value, start, end }: ScalarNode, name: string): Problem | undefined {
  const found = typeof value === 'string' && plainFields.has(name) ? template.exec(value)?.[0] : undefined;
  if (found === undefined) return undefined;
  const message = l10n.t(
    'Job files are not rendered as templates, so {0} is sent unchanged. Write the value.',
    shortened(found),
  );
  return { ...error('template', message, start, end), severity: 'warning' };
}

/** Returns a warning about a number such as 010, which older YAML and other languages read as octal. */
function leadingZero({ value, start, end, style }: ScalarNode, name: string, source: string): Problem | undefined {
  if (style !== 'plain' || typeof value === 'string' || !/^[-+]?0[0-9]/.test(source)) return undefined;
  const message = l10n.t(
    '{0} is {1}, which is read as {2}. Write it without the leading zero.',
    name,
    source,
    String(value),
  );
  return { ...error('leadingZero', message, start, end, [String(value)]), severity: 'warning' };
}

/** Returns the remedy if no similar value can be offered. */
function otherRemedy(type: LeafType): string {
  return type.type === 'text' || type.type === 'scalar'
    ? l10n.t('Write a text.')
    : l10n.t('Write {0}.', wantedWords(type));
}

function remedyWords(type: LeafType, replacements: readonly string[]): string {
  if (type.type === 'text' || (type.type === 'choice' && replacements[0]?.startsWith('"') === true))
    return l10n.t('Quote it: {0}.', replacements[0] ?? '');
  if (type.type === 'choice')
    return replacements.length === type.values.length
      ? l10n.t('Write one of them.')
      : l10n.t('Did you mean {0}?', replacements[0] ?? '');
  return l10n.t('Write {0}.', listedOr(replacements));
}

function error(
  code: string,
  message: string,
  start: number,
  end: number,
  replacements: readonly string[] = [],
): Problem {
  return { code, message, start, end, severity: 'error', data: replacements.length > 0 ? { replacements } : undefined };
}

/** Returns `undefined` if the value has the right type, otherwise its possible replacements, if any. */
function replacementsFor(node: ScalarNode, type: LeafType, source: string): readonly string[] | undefined {
  const { value } = node;
  switch (type.type) {
    case 'text':
      if (typeof value === 'string') return undefined;
      return value === null ? [] : [JSON.stringify(source)];
    case 'scalar':
      return value === null ? [] : undefined;
    case 'boolean': {
      if (typeof value === 'boolean') return undefined;
      const truth = typeof value === 'string' ? truths[value.toLowerCase()] : undefined;
      return truth === undefined ? ['true', 'false'] : [truth];
    }
    case 'choice': {
      if (typeof value === 'string' && type.values.includes(value)) return undefined;
      if (isUnquoted(value, type)) return [JSON.stringify(String(value))];
      const similar = typeof value === 'string' ? similarNames(value, type.values) : [];
      return similar.length > 0 ? similar : type.values;
    }
    case 'int64':
      if (typeof value === 'bigint' || Number.isSafeInteger(value)) return undefined;
      return typeof value === 'string' && /^-?[0-9]{1,19}$/.test(value) ? undefined : [];
    case 'integer':
      if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) return undefined;
      return typeof value === 'string' && /^[-+]?[0-9]{1,15}$/.test(value.trim()) ? [String(Number(value))] : [];
  }
}

function limitProblem(node: ScalarNode, type: LeafType, name: string, source: string): Problem | undefined {
  const { value } = node;
  const place: [number, number] = [node.start, Math.max(node.end, node.start + 1)];
  if (type.type === 'integer' && (typeof value === 'bigint' || typeof value === 'number')) {
    const below = type.min !== undefined && value < type.min;
    const above = type.max !== undefined && value > type.max;
    if (!below && !above) return undefined;
    const custom = typeof value === 'number' && Math.abs(value) <= int32Limit ? ownMessage(type, value) : undefined;
    if (custom !== undefined)
      return error('limit', l10n.t('{0} is {1}; it {2}. Change it.', name, String(value), custom), ...place, [
        String(below ? type.min : type.max),
      ]);
    const message = below
      ? l10n.t('{0} is {1}, but must be at least {2}. Raise it.', name, String(value), type.min ?? '')
      : l10n.t('{0} is {1}, but must be at most {2}. Lower it.', name, String(value), type.max ?? '');
    return error('limit', message, ...place, [String(below ? type.min : type.max)]);
  }
  if (type.type === 'choice' || type.type === 'boolean') return undefined;
  const issue = type.schema.safeParse(value).error?.issues[0];
  if (!issue) return undefined;
  if (value === '') return error('value', l10n.t('{0} is empty. Write a text.', name), ...place);
  const prefix = 'prefix' in issue ? issue.prefix : undefined;
  const code = ruleOf(issue) ?? (type.type === 'int64' ? 'limit' : prefix === '/' ? 'relativePath' : 'value');
  return error(
    code,
    l10n.t('{0} is {1}; it {2}. Change it.', name, foundWords(node, source), issue.message),
    ...place,
    typeof value === 'string' && typeof prefix === 'string' ? [`${prefix}${value}`] : [],
  );
}

/** Returns the problem of a user-chosen name, such as that of a parameter, in the mapping `owner`. */
export function nameProblem({ name, start, end }: KeyNode, { schema }: LeafType, owner: string): Problem | undefined {
  const issue = schema.safeParse(name).error?.issues[0];
  if (!issue) return undefined;
  const message = l10n.t('A name in {0} {1}. Replace it.', owner, issue.message);
  return error(ruleOf(issue) ?? 'value', message, start, end);
}

/** Returns the schema's own message for a limit, ignoring zod's general ones. */
function ownMessage(type: LeafType, value: number): string | undefined {
  const message = type.schema.safeParse(value).error?.issues[0]?.message;
  return message === undefined || isDefaultMessage(message) ? undefined : message;
}

/**
 * Returns a problem for a list item that is indented more than the one above it: YAML reads it, dash and all, as part of the text above.
 */
export function swallowedItem(node: ScalarNode, text: string): Problem | undefined {
  if (node.style !== 'plain' || typeof node.value !== 'string') return undefined;
  const source = text.slice(node.start, node.end);
  const found = /\n[ \t]*(?=- )/.exec(source);
  if (!found) return undefined;
  const start = node.start + found.index + found[0].length;
  const lineEnd = text.indexOf('\n', start);
  const message = l10n.t(
    'This line continues the text above it: both are read as one, "{0}". Align its dash with the dash above, or quote the text.',
    shortened(node.value),
  );
  return {
    code: 'swallowedItem',
    message,
    start,
    end: Math.min(node.end, lineEnd < 0 ? node.end : lineEnd),
    severity: 'warning',
  };
}
