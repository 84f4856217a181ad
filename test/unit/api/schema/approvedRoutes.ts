import type * as z from 'zod';
import type { Route } from '../../../../src/api/schema/route.ts';
import { assertApproved } from '../../../support/approved.ts';

/** What is read of zod's definitions. */
type Definition = Readonly<Record<string, unknown>> & {
  readonly type: string;
  readonly checks?: readonly { _zod: { def: Record<string, unknown> } }[];
};

/** A schema as a list of its fields: of which kind each is, within which limits, and what is said about it. */
function written(root: z.ZodType): string {
  const seen = new Map<unknown, string>();
  const lines: string[] = [];
  const walk = (schema: z.ZodType, path: string, marks: readonly string[]): void => {
    const definition = schema._zod.def as unknown as Definition;
    const { id: _id, ...meta } = (schema.meta() ?? {}) as Record<string, unknown>;
    const told = [
      ...marks,
      ...checksOf(definition),
      ...Object.entries(meta).map(([name, value]) => `${name}: ${say(value)}`),
    ];
    const inner = definition['innerType'];
    if (inner !== undefined) {
      walk(inner as z.ZodType, path, [...told, definition.type]);
      return;
    }
    if (definition.type === 'pipe') {
      const [from, to] = [definition['in'], definition['out']] as z.ZodType[];
      const isLenient = from?.type === 'transform';
      walk((isLenient ? to : from) as z.ZodType, path, [...told, isLenient ? 'lenient' : 'as text']);
      return;
    }
    const shape = definition['shape'] as Record<string, z.ZodType> | undefined;
    const before = shape && seen.get(shape);
    const entries = definition['entries'] as Record<string, string> | undefined;
    const kind = entries ? Object.values(entries).join('|') : definition.type;
    const strict =
      definition['catchall'] === undefined ? [] : [`others ${(definition['catchall'] as z.ZodType)._zod.def.type}`];
    const as = before === undefined ? [] : [`as ${before}`];
    lines.push([`${path} (${kind})`, ...told, ...strict, ...as].join('; '));
    if (before !== undefined) return;
    if (shape) seen.set(shape, path);
    for (const [name, each] of Object.entries(shape ?? {})) walk(each, `${path}.${name}`, []);
    for (const [name, mark] of [
      ['element', '[]'],
      ['keyType', '{name}'],
      ['valueType', '{value}'],
    ] as const)
      if (definition[name] !== undefined) walk(definition[name] as z.ZodType, `${path}${mark}`, []);
    for (const [index, each] of ((definition['options'] ?? []) as z.ZodType[]).entries())
      walk(each, `${path}|${index}`, []);
  };
  walk(root, '', []);
  return lines.join('\n');
}

function checksOf({ checks = [] }: Definition): string[] {
  return checks.map(({ _zod: { def } }) => {
    const { check, format, value, minimum, maximum, pattern, inclusive } = def;
    const limit = [format, value, minimum, maximum, pattern].filter((each) => each !== undefined).map(String);
    return [check, ...limit, ...(inclusive === false ? ['exclusive'] : [])].join(' ');
  });
}

function say(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Holds what is known of each operation, and what is sent and answered: every field with what is said of it, its limits and its kind. */
export function assertApprovedRoutes(name: string, routes: Readonly<Record<string, Route>>): void {
  const text = Object.values(routes).map(({ request, response, outcome, ...rest }) =>
    [
      `== ${JSON.stringify(rest)}`,
      ...(outcome ? [outcome().join(' | ')] : []),
      `request${written(request)}`,
      `response${written(response)}`,
      '',
    ].join('\n'),
  );
  assertApproved(`operations-${name}`, text.join('\n'));
}
