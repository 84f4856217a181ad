/** Reads the arguments of spark-submit: options up to the application, and after it the application's own arguments. */

/** Options that take no value. */
const flags: ReadonlySet<string> = new Set([
  '--verbose',
  '-v',
  '--supervise',
  '--help',
  '-h',
  '--version',
  '--usage-error',
]);

/** Options that are set automatically and must not be given (Jobs API 2.0, SparkSubmitTask). */
const reserved: ReadonlySet<string> = new Set(['--master', '--deploy-mode', '--executor-cores']);

export interface SparkSubmitOption {
  /** Position among the parameters. */
  readonly index: number;
  readonly name: string;
  /** Absent for a flag, and for the last option if its value is missing. */
  readonly value?: string;
  readonly isFlag: boolean;
  /** Whether the service sets it itself. */
  readonly isReserved: boolean;
}

/** Returns the options and the position of the application, which is past the end if there is none. */
export function readSparkSubmit(parameters: readonly unknown[]): { options: SparkSubmitOption[]; application: number } {
  const options: SparkSubmitOption[] = [];
  let index = 0;
  while (index < parameters.length) {
    const parameter = parameters[index];
    if (typeof parameter !== 'string' || !parameter.startsWith('-')) break;
    const equals = parameter.startsWith('--') ? parameter.indexOf('=') : -1;
    const name = equals < 0 ? parameter : parameter.slice(0, equals);
    const isFlag = flags.has(name);
    const takesNext = !isFlag && equals < 0;
    const next = parameters[index + 1];
    const value = isFlag
      ? undefined
      : takesNext
        ? typeof next === 'string'
          ? next
          : undefined
        : parameter.slice(equals + 1);
    options.push({ index, name, ...(value === undefined ? {} : { value }), isFlag, isReserved: reserved.has(name) });
    index += takesNext ? 2 : 1;
  }
  return { options, application: index };
}
