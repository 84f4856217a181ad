import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** A certificate for 127.0.0.1 and its key, made on the spot: no key has to lie in the repository. */
export function selfSigned(): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = toBeSigned(publicKey);
  const signature = sign('sha256', body, privateKey);
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

function toBeSigned(publicKey: KeyObject): Buffer {
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from('127.0.0.1')))));
  const thisYear = new Date().getUTCFullYear();
  // subjectAltName with the address and with localhost.
  const names = sequence(der(0x87, Buffer.from([127, 0, 0, 1])), der(0x82, Buffer.from('localhost')));
  const extensions = der(0xa3, sequence(sequence(oid('551d11'), der(0x04, names))));
  return sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), der(0x02, Buffer.from([1])), ecdsaWithSha256, name,
    sequence(utcTime(thisYear - 1), utcTime(thisYear + 1)), name, publicKey.export({ type: 'spki', format: 'der' }), extensions,
  );
}
