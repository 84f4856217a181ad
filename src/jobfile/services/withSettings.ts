import { isAlias, isMap, isScalar, isSeq, parseDocument, type Document, type Node, type YAMLMap } from 'yaml';
import { isFields, type Fields } from '../../shared/fields.ts';
import { settingsType } from '../model/fieldTree.ts';
import { settingsPath } from '../model/settingsRoot.ts';
import { parseDocument as readDocument } from '../yaml/document.ts';
import { differencesOf } from './diffWithRemote.ts';
import { fieldPlace, itemPlace, meaningOf, meaningText, type SettingsPlace } from './settingsMeaning.ts';
import { toYaml } from './toYaml.ts';

/**
 * Returns the text of a job file with other settings: comments, order, anchors and spelling stay if the value is unchanged. A text that
 * cannot be edited this way, for example because its anchors have different values now, is rewritten with the comment at its top.
 */
export function withSettings(text: string, settings: Fields): string {
  const written = changedOnly(text, settings);
  if (written !== undefined) return written;
  const head = /^(?:[ \t]*(?:#[^\n]*)?\n)*/.exec(text)?.[0] ?? '';
  const jobId = /^job_id:[ \t]*["']?([0-9]{1,19})/m.exec(text)?.[1];
  return head + toYaml(settings, { like: text, ...(jobId === undefined ? {} : { jobId }) });
}

function changedOnly(text: string, settings: Fields): string | undefined {
  try {
    const written = changed(text, settings);
    return written !== undefined && isSame(written, settings) ? written : undefined;
  } catch {
    // The library reports a merge of a non-mapping and endless aliases only by throwing.
    return undefined;
  }
}

const reading = { intAsBigInt: true, uniqueKeys: false, merge: true } as const;

function changed(text: string, settings: Fields): string | undefined {
  const document = parseDocument(text, reading);
  if (document.errors.length > 0) return undefined;
  const root = settingsNode(document, text);
  const wanted = parseDocument(toYaml(settings, { like: text }), reading).contents;
  if (!isMap(root) || !isMap(wanted)) return undefined;
  mergeMap(document, root, wanted, { type: settingsType }, true);
  const lines = text.split('\n');
  const isFlush = lines.some(
    (line, index) => /^[^\s#]/.test(line) && line.trimEnd().endsWith(':') && lines[index + 1]?.startsWith('- '),
  );
  return document.toString({ lineWidth: 0, indentSeq: !isFlush, flowCollectionPadding: /\{ /.test(text) });
}

function settingsNode(document: Document, text: string): unknown {
  const path = settingsPath(readDocument(text).root);
  return path.length === 0 ? document.contents : document.getIn(path, true);
}

/** Returns whether a field stands among the settings without being one. */
function isAside(name: string): boolean {
  return name === 'job_id' || name === '<<' || name.startsWith('x-');
}

function nameOf(key: unknown): string {
  const name = isScalar(key) ? key.value : key;
  // A merge key is a symbol.
  return (typeof name === 'symbol' && name.description) || String(name);
}

function mergeMap(document: Document, node: YAMLMap, wanted: YAMLMap, place: SettingsPlace, isTop: boolean): void {
  const values = new Map(wanted.items.map((pair) => [nameOf(pair.key), pair]));
  node.items = node.items.filter((pair) => {
    const name = nameOf(pair.key);
    if (name === '<<' && staysMerged(document, node, pair.value, values, place)) return true;
    if (isTop && isAside(name)) return name !== '<<';
    const inner = fieldPlace(place.type, name);
    const other = values.get(name);
    values.delete(name);
    // An entry without a meaning may stay.
    if (!other) return meaningOf(valueOf(document, pair.value), inner) === undefined;
    pair.value = merged(document, pair.value as Node | null, other.value as Node | null, inner);
    return true;
  });
  node.items.push(...values.values());
}

/** Returns whether everything merged in here is wanted unchanged, so that it need not be repeated. */
function staysMerged(
  document: Document,
  node: YAMLMap,
  value: unknown,
  wanted: Map<string, { value: unknown }>,
  place: SettingsPlace,
): boolean {
  const own = new Set(node.items.map(({ key }) => nameOf(key)));
  // If several sources have a field, the first wins.
  const sources = [valueOf(document, value)].flat().filter(isFields).reverse();
  const given = Object.entries(Object.assign({}, ...sources) as Fields).filter(([name]) => !own.has(name));
  const isMeant = given.every(([name, field]) => {
    const inner = fieldPlace(place.type, name);
    return sameMeaning(document, field, wanted.get(name)?.value, inner);
  });
  if (isMeant) for (const [name] of given) wanted.delete(name);
  return isMeant;
}

function sameMeaning(document: Document, one: unknown, other: unknown, place: SettingsPlace): boolean {
  const text = (value: unknown): string => meaningText(meaningOf(valueOf(document, value), place));
  return text(one) === text(other);
}

function merged(document: Document, node: Node | null, wanted: Node | null, place: SettingsPlace): Node | null {
  if (sameMeaning(document, node, wanted, place)) return node;
  if (isMap(node) && isMap(wanted)) {
    mergeMap(document, node, wanted, place, false);
    return node;
  }
  if (isSeq(node) && isSeq(wanted) && node.items.length === wanted.items.length) {
    node.items = node.items.map((item, index) =>
      merged(document, item as Node | null, (wanted.items[index] ?? null) as Node | null, itemPlace(place.type)),
    );
    return node;
  }
  if (wanted && node && !isAlias(node)) {
    wanted.comment = node.comment;
    wanted.commentBefore = node.commentBefore;
    wanted.spaceBefore = node.spaceBefore;
    // Other aliases in the file may refer to this anchor.
    if (!isAlias(wanted) && node.anchor !== undefined) wanted.anchor = node.anchor;
  }
  return wanted;
}

function valueOf(document: Document, node: unknown): unknown {
  return isMap(node) || isSeq(node) || isScalar(node) || isAlias(node) ? node.toJS(document) : node;
}

/** Returns whether the text contains exactly these settings. */
function isSame(text: string, settings: Fields): boolean {
  const document = parseDocument(text, reading);
  const value = valueOf(document, settingsNode(document, text));
  if (document.errors.length > 0 || !isFields(value)) return false;
  const said = Object.fromEntries(Object.entries(value).filter(([name]) => !isAside(name)));
  return differencesOf(said, settings).length === 0;
}
