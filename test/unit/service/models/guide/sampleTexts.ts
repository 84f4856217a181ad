/** Texts of every kind, and none. */
export const texts = [
  '',
  'Hello',
  'Hello hello',
  'max_retries',
  'How do I retry a failed run?',
  'retry retries retrying',
  'Ünïcode 漢字 😀',
  'a_b-c.d/e',
  "don't",
  'x'.repeat(50),
  '1,000.5 %',
];
