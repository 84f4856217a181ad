/** The text of a module, bundled by itself, to start a worker from (.build/workerSources.cjs). */
declare module 'worker:*' {
  const source: string;
  export default source;
}
