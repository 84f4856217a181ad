import { parseJson } from '../../shared/json.ts';
import { jobFileType, fieldAt } from '../model/fieldTree.ts';
import { columnOf, lineStart } from '../yaml/lineStart.ts';
import { cursorContext } from './cursorContext.ts';
import { jsonToYaml, valueToYaml } from './toYaml.ts';

/** Longer clipboards are not looked at: reading them would be felt. */
const maxLength = 1_000_000;

/**
 * The YAML to insert for JSON on the clipboard, indented for the place, or undefined if the clipboard holds none or
 * the file is JSON itself.
 * @param text the file with what is replaced taken out; `offset` is where the clipboard goes
 */
export function pasteJson(clipboard: string, text: string, offset: number): string | undefined {
  const trimmed = clipboard.trim();
  if (trimmed.length > maxLength || !/^[{[]/.test(trimmed)) return undefined;
  const value = readJson(trimmed);
  if (value === undefined) return undefined;
  if (text.trim() === '') return isJob(value) ? jsonToYaml(trimmed) : valueToYaml(value);
  const context = cursorContext(text, offset);
  if (!context || context.flow) return undefined;
  const before = text.slice(lineStart(text, offset), offset);
  const yaml = valueToYaml(value, fieldAt(context.path)?.type).trimEnd();
  if (context.place === 'value')
    return `${isCollection(value) ? `\n${indented(yaml, (/^ */.exec(before)?.[0].length ?? 0) + 2, true)}` : yaml}`;
  return indented(yaml, columnOf(text, offset), false);
}

/** What JSON.parse takes, with exact integers; undefined for anything else, which is pasted as it is. */
function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isCollection(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function isJob(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).some((key) => jobFileType.fields.has(key) || key === 'settings' || key === 'new_settings')
  );
}

function indented(yaml: string, spaces: number, first: boolean): string {
  return yaml
    .split('\n')
    .map((line, index) => ((index === 0 && !first) || line === '' ? line : ' '.repeat(spaces) + line))
    .join('\n');
}
