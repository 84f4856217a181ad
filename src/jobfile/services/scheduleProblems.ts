import { l10n } from '../../shared/l10n.ts';
import { findQuartzProblem, findTimeZoneProblem, nextFireTimes, type QuartzError } from '../../shared/quartz/quartz.ts';
import { similarNames } from '../../shared/similarNames.ts';
import { timeZoneNames } from '../model/timeZones.ts';
import { fieldOf } from '../yaml/nodeValue.ts';
import type { Problem } from '../yaml/problem.ts';
import { resolved, type ScalarNode, type YamlNode } from '../yaml/yamlNode.ts';

/** The schedule's expression and time zone (Jobs API 2.0, CronSchedule), with the wrong part of an expression underlined. */
export function scheduleProblems(settings: YamlNode, text: string, nowMs: number): Problem[] {
  const schedule = fieldOf(settings, 'schedule')?.value;
  const expression = textNode(schedule, 'quartz_cron_expression');
  const zone = textNode(schedule, 'timezone_id');
  const problems: Problem[] = [];
  const zoneError = zone ? findTimeZoneProblem(zone.value) : undefined;
  if (zone && zoneError) {
    const city = `/${zone.value.toLowerCase().replaceAll(' ', '_')}`;
    const similar = [
      ...timeZoneNames().filter((name) => name.toLowerCase().endsWith(city)),
      ...similarNames(zone.value, timeZoneNames()),
    ];
    const remedy = similar[0] === undefined ? (zoneError.remedy ?? '') : l10n.t('Did you mean {0}?', similar[0]);
    problems.push({
      code: 'unknownTimezone',
      message: `${zoneError.message} ${remedy}`,
      start: zone.node.start,
      end: zone.node.end,
      severity: 'error',
      data: { replacements: similar },
    });
  }
  const cronError = expression ? findQuartzProblem(expression.value) : undefined;
  if (expression && cronError)
    problems.push({
      code: 'cron',
      message: `${cronError.message} ${cronError.remedy ?? ''}`.trim(),
      ...insideText(expression.node, cronError, text),
      severity: 'error',
    });
  if (
    expression &&
    zone &&
    !zoneError &&
    !cronError &&
    nextFireTimes(expression.value, zone.value, nowMs, 1).length === 0
  ) {
    problems.push({
      code: 'neverFires',
      message: l10n.t(
        '"{0}" never fires again: no such time lies ahead. Change the expression, or remove the schedule.',
        expression.value,
      ),
      start: expression.node.start,
      end: expression.node.end,
      severity: 'warning',
    });
  }
  return problems;
}

/** No schedule is longer, and its characters are looked at one by one. */
const maxLength = 4096;

function textNode(schedule: YamlNode | undefined, name: string): { node: ScalarNode; value: string } | undefined {
  const node = resolved(fieldOf(schedule, name)?.value);
  // An empty text and one that is too long are reported as such.
  return node?.kind === 'scalar' &&
    typeof node.value === 'string' &&
    node.value !== '' &&
    node.value.length <= maxLength
    ? { node, value: node.value }
    : undefined;
}

/** The wrong characters inside the scalar, if the text is written as it is read. */
function insideText(node: ScalarNode, error: QuartzError, text: string): { start: number; end: number } {
  const source = text.slice(node.start, node.end);
  const offset = node.style === 'plain' ? 0 : 1;
  const { start, end } = error.problem;
  const isLiteral = typeof node.value === 'string' && source.slice(offset, offset + node.value.length) === node.value;
  if (!isLiteral || end <= start) return { start: node.start, end: node.end };
  return { start: node.start + offset + start, end: node.start + offset + end };
}
