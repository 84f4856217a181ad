import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { createChatTools } from '../../../src/commands/chatTools/createChatTools.ts';
import { Bench } from './commandSetup.ts';

export const nowMs = new Date(2026, 10, 22, 12).getTime();
export const hourMs = 3_600_000;
export const run = (id: string, resultState: string | undefined, startMs: number, more: object = {}): Run =>
  ({
    run_id: id,
    job_id: '1',
    number_in_job: id,
    run_type: 'JOB_RUN',
    state: resultState
      ? { life_cycle_state: 'TERMINATED', result_state: resultState, state_message: '' }
      : { life_cycle_state: 'RUNNING', state_message: 'In run' },
    start_time: startMs,
    ...more,
  }) as Run;

/** Chat tools for a service with two jobs and five runs. */
export class ChatToolBench extends Bench {
  constructor() {
    super();
    this.remote.set('1', {
      name: 'hello',
      schedule: { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC' },
    });
    this.remote.set('2', { name: 'etl', schedule: { quartz_cron_expression: 'wrong', timezone_id: 'UTC' } });
    this.runs = [
      run('9', undefined, nowMs - hourMs),
      run('8', 'FAILED', nowMs - 2 * hourMs),
      run('7', 'SUCCESS', nowMs - 3 * hourMs),
      run('6', 'TIMEDOUT', nowMs - 24 * hourMs),
      run('5', 'FAILED', nowMs - 30 * 24 * hourMs, { job_id: '2' }),
    ];
  }

  tools(): ReturnType<typeof createChatTools> {
    return createChatTools(this.services, () => nowMs);
  }

  async call(name: string, given: object = {}): Promise<Record<string, unknown>> {
    const { content } = await this.tools().run(name, JSON.stringify(given), new AbortController().signal);
    return JSON.parse(content) as Record<string, unknown>;
  }
}
