import { redact } from '../shared/redact.ts';

/** One check: its outcome as text, and its duration. */
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
  /** The conclusion, and the next step. */
  readonly verdict: string;
  readonly sections: readonly ReportSection[];
  readonly closing: string;
}

/** Returns the report as Markdown without secrets, because it is meant to be sent to others. */
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
