/** The text of a module, bundled by itself, to start a worker from (esbuild.workers.js). */
declare module 'worker:*' {
  const source: string;
  export default source;
}
