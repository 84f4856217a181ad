import * as z from 'zod';
import type { Route } from '../../../../src/api/schema/route.ts';
import { assertApproved } from '../../../support/approved.ts';

/** A part that is written out once is told by its first place from then on. */
const longestRepeated = 150;

/** Holds what is known of each operation, and what is sent and answered: every field with its text, its limits and its default. */
export function assertApprovedRoutes(name: string, routes: Readonly<Record<string, Route>>): void {
  const places = new Map<string, string>();
  const compact = (value: unknown, place: string): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const text = JSON.stringify(value);
    const first = places.get(text);
    if (first !== undefined) return `as ${first}`;
    if (text.length > longestRepeated) places.set(text, place);
    return Array.isArray(value)
      ? value.map((each, index) => compact(each, `${place}[${index}]`))
      : Object.fromEntries(Object.entries(value).map(([key, each]) => [key, compact(each, `${place}.${key}`)]));
  };
  const all = Object.entries(routes).map(([key, { request, response, outcome, ...rest }]) => [
    key,
    { ...rest, outcome: outcome?.(), request: formsOf(request), response: formsOf(response) },
  ]);
  const text = JSON.stringify(compact(Object.fromEntries(all), name), undefined, 1);
  assertApproved(`routes-${name}`, `${text}\n`);
}

/** A schema as it is on the wire and, where that differs, as the code has it. */
function formsOf(schema: z.ZodType): object {
  const form = (io: 'input' | 'output'): object => {
    const { $schema: _version, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
    return rest;
  };
  const [wire, own] = [form('input'), form('output')];
  return JSON.stringify(wire) === JSON.stringify(own) ? { wire } : { wire, own };
}
