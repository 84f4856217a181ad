import { AppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import type { Auth } from './client.ts';

/** Header that signs a request, and the secrets that must never be shown. */
export interface Credentials {
  readonly header?: readonly [name: string, value: string];
  readonly secrets: readonly string[];
}

/**
 * Returns the credentials to send for the profile's kind of sign-in.
 * @throws AppError `unauthenticated` if there is no secret or a header cannot carry it
 */
export async function credentialsOf(auth: Auth): Promise<Credentials> {
  switch (auth.kind) {
    case 'none':
      return { secrets: [] };
    case 'bearer': {
      const token = checked(await resolve(auth.token), 'token');
      return { header: ['authorization', `Bearer ${token}`], secrets: [token] };
    }
    case 'basic': {
      const password = checked(await resolve(auth.password), 'password');
      const pair = base64(`${auth.userName}:${password}`);
      return { header: ['authorization', `Basic ${pair}`], secrets: [password, pair] };
    }
    case 'header': {
      const value = checked(await resolve(auth.value), 'header value');
      return { header: [auth.name.toLowerCase(), value], secrets: [value] };
    }
  }
}

function resolve(secret: string | (() => Promise<string>)): string | Promise<string> {
  return typeof secret === 'string' ? secret : secret();
}

/** Characters that a header can carry: visible ASCII and spaces. Pasted tokens most often fail because of a line break. */
const sendable = /^[\x20-\x7e]+$/;

function checked(secret: string, what: string): string {
  const trimmed = secret.trim();
  if (trimmed === '') {
    throw new AppError('unauthenticated', l10n.t('The profile has no {0}. Nothing was sent.', what), {
      remedy: l10n.t('Enter the {0} of the profile.', what),
    });
  }
  if (what !== 'password' && !sendable.test(trimmed)) {
    throw new AppError(
      'unauthenticated',
      l10n.t(
        'The {0} of the profile contains a line break or a character that cannot be sent. Nothing was sent.',
        what,
      ),
      { remedy: l10n.t('Enter the {0} again, without line breaks.', what) },
    );
  }
  return what === 'password' ? secret : trimmed;
}

/** Encodes the UTF-8 form as Base64, as RFC 7617 requires for a name or password that is not ASCII. */
function base64(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}
