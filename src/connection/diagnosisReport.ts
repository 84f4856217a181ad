import { redact } from '../shared/redact.ts';

/** One thing that was looked at: its outcome in words, and how long it took. */
export interface Finding {
  readonly name: string;
  readonly ok: boolean | undefined;
  readonly outcome: string;
  readonly durationInMs?: number;
}

export interface ReportSection {
  readonly title: string;
  readonly facts?: readonly (readonly [name: string, value: string])[];
  readonly findings?: readonly Finding[];
}

export interface DiagnosisReport {
  readonly title: string;
  /** What it comes to, and what to do next. */
  readonly verdict: string;
  readonly sections: readonly ReportSection[];
  readonly closing: string;
}

/** The report as Markdown, without anything secret in it: it is made to be sent to somebody. */
export function formatReport(report: DiagnosisReport, secrets: Iterable<string>): string {
  const lines = [`# ${report.title}`, '', report.verdict];
  for (const { title, facts = [], findings = [] } of report.sections) {
    lines.push('', `## ${title}`, '');
    for (const [name, value] of facts) lines.push(`- ${name}: ${oneLine(value)}`);
    for (const { name, ok, outcome, durationInMs } of findings) {
      const mark = ok === undefined ? '–' : ok ? '✓' : '✗';
      lines.push(
        `- ${mark} ${name}: ${oneLine(outcome)}${durationInMs === undefined ? '' : ` (${Math.round(durationInMs)} ms)`}`,
      );
    }
  }
  lines.push('', report.closing, '');
  return redact(lines.join('\n'), secrets);
}

function oneLine(text: string): string {
  return text.replace(/(?<!\s)\s*\n\s*/g, ' ').trim();
}
