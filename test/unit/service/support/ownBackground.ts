import { registerHooks } from 'node:module';

const source = new URL('../../../../src/service/', import.meta.url);

/**
 * A copy of a module of `src/service`, named by its path there, for which `inBackground` does the work in place of the
 * threads. What others import is left as it is.
 */
export async function withBackground<Module>(
  path: string,
  inBackground: (...given: never[]) => Promise<unknown>,
): Promise<Module> {
  const copy = new URL(`${path}?alone`, source).href;
  Object.assign(globalThis, { [Symbol.for(copy)]: inBackground });
  const standIn =
    `export { TooSlow } from ${JSON.stringify(new URL('background/crew.ts', source).href)};\n` +
    `export const inBackground = globalThis[Symbol.for(${JSON.stringify(copy)})];`;
  registerHooks({
    resolve: (name, context, next) =>
      context.parentURL === copy && name.endsWith('/inBackground.ts')
        ? { url: `data:text/javascript,${encodeURIComponent(standIn)}`, shortCircuit: true }
        : next(name, context),
  });
  return (await import(copy)) as Module;
}
