import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { jobName } from '../../runs/jobNames.ts';
import { runStatus } from '../../runs/runState.ts';
import { plainLine } from '../print.ts';
import type { ToolContext } from './agentTool.ts';
import { agentTools } from './agentTools.ts';

const pageSize = 50;
const plain = { mimeType: 'text/plain' };

/** Offers the jobs and runs of the local service as resources: first the jobs, then the runs, newest first, in pages. */
export function registerResources({ server }: McpServer, context: Omit<ToolContext, 'signal'>): void {
  server.registerCapabilities({ resources: {} });
  server.setRequestHandler('resources/list', async ({ params }, { mcpReq }) => {
    const { signal } = mcpReq;
    const [, kind, from] = /^(jobs|runs)-(\d{1,9})$/.exec(params?.cursor ?? 'jobs-0') ?? [];
    if (kind === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The cursor is unknown.');
    const offset = Number(from);
    const { jobs } = (await context.service()).client;
    if (kind === 'jobs') {
      const all = await jobs.list({ signal });
      const resources = all.slice(offset, offset + pageSize).map((job) => ({
        uri: `millrace://job/${job.job_id}`,
        name: plainLine(jobName(job)),
        ...plain,
      }));
      const isMore = offset + pageSize < all.length;
      return { resources, nextCursor: isMore ? `jobs-${offset + pageSize}` : 'runs-0' };
    }
    const { runs, has_more: isMore } = await jobs.listRuns({ limit: pageSize, offset }, { signal });
    const resources = runs.map((run) => ({
      uri: `millrace://run/${run.run_id}`,
      name: plainLine(`${run.run_name ?? 'Run'} ${run.run_id}: ${runStatus(run).label}`),
      ...plain,
    }));
    return { resources, ...(isMore && runs.length > 0 && { nextCursor: `runs-${offset + runs.length}` }) };
  });
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      { name: 'job', uriTemplate: 'millrace://job/{job_id}', description: 'Settings of a job', ...plain },
      { name: 'run', uriTemplate: 'millrace://run/{run_id}', description: 'Report of a run', ...plain },
    ],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, { mcpReq }) => {
    const [, kind, id] = /^millrace:\/\/(job|run)\/([0-9]{1,19})$/.exec(uri) ?? [];
    const tool = agentTools[`get_${kind}`];
    if (!tool) throw new ResourceNotFoundError(uri);
    const found = await tool.call({ [`${kind}_id`]: id }, { ...context, signal: mcpReq.signal });
    return { contents: [{ uri, text: found, ...plain }] };
  });
}
