import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

export interface CertificateOptions {
  /** Years from now in which it begins and ends to be valid. */
  readonly fromYear?: number;
  readonly toYear?: number;
  /** The only name that it is for, instead of 127.0.0.1 and localhost. */
  readonly name?: string;
  /** Signed by a key that nobody has, in this name, instead of by its own. */
  readonly issuer?: string;
}

/** A certificate for 127.0.0.1 and its key, made on the spot: no key has to lie in the repository. */
export function selfSigned(options: CertificateOptions = {}): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = toBeSigned(publicKey, options);
  const signer =
    options.issuer === undefined ? privateKey : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const signature = sign('sha256', body, signer);
  const certificate = sequence(body, ecdsaWithSha256, bitString(signature));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const bitString = (bytes: Buffer): Buffer => der(0x03, Buffer.from([0]), bytes);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const utcTime = (year: number): Buffer => der(0x17, Buffer.from(`${String(year % 100).padStart(2, '0')}0101000000Z`));

const commonName = (text: string): Buffer => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(text)))));

function toBeSigned(
  publicKey: KeyObject,
  { fromYear = -1, toYear = 1, name: only, issuer }: CertificateOptions,
): Buffer {
  const name = commonName(only ?? '127.0.0.1');
  const thisYear = new Date().getUTCFullYear();
  // subjectAltName with the address and with localhost.
  const names =
    only === undefined
      ? sequence(der(0x87, Buffer.from([127, 0, 0, 1])), der(0x82, Buffer.from('localhost')))
      : sequence(der(0x82, Buffer.from(only)));
  const extensions = der(0xa3, sequence(sequence(oid('551d11'), der(0x04, names))));
  return sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    issuer === undefined ? name : commonName(issuer),
    sequence(utcTime(thisYear + fromYear), utcTime(thisYear + toYear)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions,
  );
}
