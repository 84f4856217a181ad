/** The text of a module, bundled by itself, to start a worker from (see `workerSources` in esbuild.js). */
declare module 'worker:*' {
  const source: string;
  export default source;
}
