import { failureOf, networkFailure } from '../../../../src/api/client/failure.ts';
import { notDone, notKnown } from '../../../../src/api/client/outcome.ts';
import { clusterRoutes } from '../../../../src/api/schema/clusterRoutes.ts';
import { inferenceRoutes } from '../../../../src/api/schema/inference/routes.ts';
import { jobsRoutes } from '../../../../src/api/schema/jobs/routes.ts';
import { localServiceRoutes } from '../../../../src/api/schema/localServiceRoutes.ts';
import type { Route } from '../../../../src/api/schema/route.ts';
import { describeError, type AppError } from '../../../../src/shared/errors.ts';
import { assertApproved } from '../../../support/approved.ts';

const told = (error: AppError): string =>
  `${error.kind} ${error.status ?? ''} ${error.errorCode ?? ''} ${describeError(error)}\n`;
const routes: Route[] = Object.values({ ...jobsRoutes, ...inferenceRoutes, ...clusterRoutes, ...localServiceRoutes });

describe('why a call failed, in words that were approved', () => {
  it('for every status, of an operation that changes something and of one that does not', () => {
    const statuses = [
      300, 302, 400, 401, 403, 404, 405, 407, 408, 409, 410, 411, 413, 414, 415, 418, 422, 425, 426, 429, 431, 451, 500,
      501, 502, 503, 504, 505, 507, 511, 520, 521, 522, 523, 524, 525, 526, 530, 599,
    ];
    const bodies = ['', '{"error_code":"X","message":"Said so."}', '<html><title>Gateway</title></html>'];
    const lines = statuses.flatMap((status) =>
      bodies.flatMap((body) =>
        ['jobs/run-now', 'jobs/list', 'inference/chat'].map((operation) =>
          told(
            failureOf({
              operation,
              mutates: operation === 'jobs/run-now',
              contentType: body.startsWith('<') ? 'text/html' : 'application/json',
              secrets: [],
              status,
              body,
            } as never),
          ),
        ),
      ),
    );
    assertApproved('client-failures', lines.join(''));
  });

  it('for every way in which a network fails', () => {
    const codes = [
      'ECONNREFUSED',
      'ECONNRESET',
      'ENOTFOUND',
      'EAI_AGAIN',
      'ETIMEDOUT',
      'EHOSTUNREACH',
      'ENETUNREACH',
      'EPIPE',
      'CERT_HAS_EXPIRED',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'EPROTO',
      'ERR_SSL_WRONG_VERSION_NUMBER',
      'UND_ERR_CONNECT_TIMEOUT',
      'UND_ERR_SOCKET',
      'HPE_INVALID_CONSTANT',
      'ODD',
    ];
    const lines = codes.flatMap((code) =>
      routes.slice(0, 2).map(({ operation, mutates }) => {
        const cause = Object.assign(new Error(`${code}: it failed`), { code });
        const request = { operation, mutates, url: 'https://x.example/api', secrets: [] };
        return told(networkFailure(new TypeError('fetch failed', { cause }), request));
      }),
    );
    assertApproved('client-network', lines.join(''));
  });

  it('says of every operation what was not done, or is not known', () => {
    const lines = routes.map(({ operation }) => `${operation}: ${notDone(operation)} | ${notKnown(operation)}\n`);
    assertApproved('client-outcomes', lines.join(''));
  });
});
