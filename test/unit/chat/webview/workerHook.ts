import { registerHooks } from 'node:module';

// The text of a worker, which only the built page has.
registerHooks({
  resolve: (name, context, next) =>
    name.startsWith('worker:')
      ? { url: 'data:text/javascript,export default ""', shortCircuit: true }
      : next(name, context),
});
