import { registerHooks } from 'node:module';

// Stubs the source of a worker, which exists only in the built page.
registerHooks({
  resolve: (name, context, next) =>
    name.startsWith('worker:')
      ? { url: 'data:text/javascript,export default ""', shortCircuit: true }
      : next(name, context),
});
