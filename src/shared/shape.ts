/** Validates unknown values on pages that load no library for it. A shape returns the fields that it knows and nothing else, or throws. */
export type Shape<T> = (value: unknown) => T;
export type ShapeOf<S> = S extends Shape<infer T> ? T : never;

type Shapes = Record<string, Shape<unknown>>;
type OptionalNames<F extends Shapes> = { [K in keyof F]: undefined extends ShapeOf<F[K]> ? K : never }[keyof F];
type ObjectOf<F extends Shapes> = { [K in Exclude<keyof F, OptionalNames<F>>]: ShapeOf<F[K]> } & {
  [K in OptionalNames<F>]?: ShapeOf<F[K]>;
};

class ShapeError extends TypeError {}

function wrong(expected: string): never {
  throw new ShapeError(`Not ${expected}.`);
}

export const shape = {
  text:
    (maxLength = 100_000_000): Shape<string> =>
    (value) =>
      typeof value === 'string' && value.length <= maxLength ? value : wrong('a text'),
  number: (): Shape<number> => (value) =>
    typeof value === 'number' && Number.isFinite(value) ? value : wrong('a number'),
  /** 0 or greater. */
  count: (): Shape<number> => (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : wrong('a count'),
  flag: (): Shape<boolean> => (value) => (typeof value === 'boolean' ? value : wrong('a flag')),
  one:
    <const T extends string>(...words: readonly T[]): Shape<T> =>
    (value) =>
      words.find((word) => word === value) ?? wrong(`one of ${words.join(', ')}`),
  list:
    <T>(of: Shape<T>, maxLength = 100_000): Shape<T[]> =>
    (value) =>
      Array.isArray(value) && value.length <= maxLength ? value.map((each) => of(each)) : wrong('a list'),
  optional:
    <T>(of: Shape<T>): Shape<T | undefined> =>
    (value) =>
      value === undefined || value === null ? undefined : of(value),
  object:
    <F extends Shapes>(fields: F): Shape<ObjectOf<F>> =>
    (value) => {
      if (typeof value !== 'object' || value === null) return wrong('an object');
      const given = value as Readonly<Record<string, unknown>>;
      const read: Record<string, unknown> = {};
      for (const [name, of] of Object.entries(fields)) {
        const field = of(given[name]);
        if (field !== undefined) read[name] = field;
      }
      return read as ObjectOf<F>;
    },
  /** One of several objects, distinguished by the field `type`. */
  either:
    <F extends Record<string, Shape<object>>>(
      kinds: F,
    ): Shape<{ [K in keyof F]: { readonly type: K } & ShapeOf<F[K]> }[keyof F]> =>
    (value) => {
      const type = (value as { type?: unknown } | null | undefined)?.type;
      const of = typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
      if (!of) return wrong('a known message');
      return { ...of(value), type } as { [K in keyof F]: { readonly type: K } & ShapeOf<F[K]> }[keyof F];
    },
} as const;

/** Returns the value, or `undefined` if it has another shape. */
export function read<T>(of: Shape<T>, value: unknown): T | undefined {
  try {
    return of(value);
  } catch (error) {
    if (error instanceof ShapeError) return undefined;
    throw error;
  }
}
