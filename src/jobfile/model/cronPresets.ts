/** Expressions that are wanted most; their words come from the expression itself. */
export const cronPresets: readonly string[] = [
  '0 0 8 * * ?',
  '0 30 2 ? * MON-FRI',
  '0 0 * * * ?',
  '0 0/15 * * * ?',
  '0 0 6 ? * MON',
  '0 0 0 1 * ?',
  '0 0 20 L * ?',
  '0 0 9 ? * 2#1',
];
