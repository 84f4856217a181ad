import { similarNames } from '../../shared/similarNames.ts';
import { shortened } from '../../shared/text.ts';
import { ApiError } from '../base/apiError.ts';
import type { RouteHandler } from './handler.ts';

interface Match {
  readonly handler: RouteHandler;
  readonly path: Record<string, string>;
}

/** Finds the handler of a request by its method and path. Fixed paths take precedence over those with parameters. */
export interface Router {
  /** @throws ApiError 404 or 405 */
  match(method: string, pathname: string): Match;
  /** Returns the handler of an open page, or `undefined`. Never throws. */
  matchOpen(method: string, pathname: string): Match | undefined;
}

export function createHttpRouter(handlers: readonly RouteHandler[]): Router {
  const fixed = new Map<string, RouteHandler>();
  const withParameters: { handler: RouteHandler; parts: string[] }[] = [];
  for (const handler of handlers) {
    if (handler.path.includes('{')) withParameters.push({ handler, parts: handler.path.split('/') });
    else fixed.set(`${handler.method} ${handler.path}`, handler);
  }

  function find(method: string, pathname: string): Match | undefined {
    const handler = fixed.get(`${method} ${pathname}`);
    if (handler) return { handler, path: {} };
    const parts = pathname.split('/');
    for (const candidate of withParameters) {
      if (candidate.handler.method !== method) continue;
      const path = matchParts(candidate.parts, parts);
      if (path) return { handler: candidate.handler, path };
    }
    return undefined;
  }

  return {
    match(method, pathname) {
      const path = pathname.length > 1 ? pathname.replace(/(?<!\/)\/+$/, '') : pathname;
      // Node sends the response to HEAD without its body.
      const found = find(method === 'HEAD' ? 'GET' : method, path);
      if (found) return found;
      const allowed = ['GET', 'POST', 'DELETE'].filter((other) => find(other, path));
      if (allowed.includes('GET')) allowed.push('HEAD');
      if (allowed.length > 0) {
        throw new ApiError(
          405,
          'METHOD_NOT_ALLOWED',
          `${path} does not take ${method}; nothing was done. It takes ${allowed.join(' and ')}.`,
          { allowedMethods: allowed },
        );
      }
      throw new ApiError(
        404,
        'ENDPOINT_NOT_FOUND',
        `There is no ${shortened(path, 200)}; nothing was done. ${remedyFor(path, [...fixed.values()])}`,
      );
    },
    matchOpen(method, pathname) {
      const found = find(method === 'HEAD' ? 'GET' : method, pathname);
      return found?.handler.isOpen ? found : undefined;
    },
  };
}

/** Older tools upload files before they create a job that names them. */
const uploads = /^\/api\/[0-9.]+\/(workspace|dbfs|repos|fs)\b/;

function remedyFor(path: string, handlers: readonly RouteHandler[]): string {
  const version = /^\/api\/(2\.[0-9]+)\//.exec(path)?.[1];
  if (uploads.test(path))
    return (
      'This service accepts no uploads: it runs the files of its own folder. Put ' +
      'the files there and use their paths in that folder, such as /jobs/etl.py.'
    );
  if (version !== undefined && version !== '2.0') return otherVersion(path, version, handlers);
  const model = path.startsWith('/api/') ? undefined : modelRoute.exec(path)?.[1];
  if (model !== undefined) return modelRemedy(model);
  const [similar] =
    path.length > 100
      ? []
      : similarNames(
          path,
          handlers.map((handler) => handler.path),
        );
  if (similar !== undefined) return `Did you mean ${similar}?`;
  return version === undefined
    ? 'Check the path; the operations are below /api/2.0/ and /serving-endpoints/.'
    : 'Below /api/2.0/, this service has jobs, serving-endpoints and the lists of clusters.';
}

/** Paths that clients of the chat-completion format request, wherever their base address points. */
const modelRoute = /\/(chat\/completions|completions|embeddings|responses|models|moderations)$/;

function modelRemedy(route: string): string {
  if (['chat/completions', 'completions', 'embeddings'].includes(route))
    return `Did you mean /serving-endpoints/${route}? Set the client's base address to this service's with /serving-endpoints.`;
  const instead =
    route === 'models' ? 'The models are listed by /api/2.0/serving-endpoints.' : 'Set the client to chat completions.';
  return `Below /serving-endpoints/ are chat/completions, completions and embeddings. ${instead}`;
}

/** Some clients can be configured to use a version; for the others, the message names the operation. */
function otherVersion(path: string, version: string, handlers: readonly RouteHandler[]): string {
  const ours = ['2.2', '2.0']
    .map((known) => path.replace(version, known))
    .find((each) => handlers.some((handler) => handler.path === each));
  const instead = ours === undefined ? '' : `, or call ${ours}`;
  return (
    'This service supports the versions 2.0, 2.1 and 2.2 of the operations of jobs, and 2.0 of the others. ' +
    `Set the client to such a version${instead}.`
  );
}

function matchParts(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const path: Record<string, string> = {};
  for (const [index, wanted] of pattern.entries()) {
    const given = parts[index] ?? '';
    if (!wanted.startsWith('{')) {
      if (wanted !== given) return undefined;
      continue;
    }
    if (given === '') return undefined;
    try {
      path[wanted.slice(1, -1)] = decodeURIComponent(given);
    } catch {
      return undefined;
    }
  }
  return path;
}
