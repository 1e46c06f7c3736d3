// A self-signed certificate made on the spot, so that no private key lies in the repository.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** A key and a certificate for one host name, both as PEM. */
export function createCertificate(name: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaSha256 = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
  const commonName = sequence(
    der(0x31, sequence(der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from(name)))),
  )
  const time = (ms: number): Buffer => {
    const digits = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, '')
    return der(0x18, Buffer.from(digits))
  }
  const alternative = sequence(der(0x82, Buffer.from(name)))
  const extension = sequence(der(0x06, Buffer.from('551d11', 'hex')), der(0x04, alternative))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaSha256,
    commonName,
    sequence(time(Date.now() - 86_400_000), time(Date.now() + 86_400_000)),
    commonName,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  )
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]))
  const lines =
    sequence(body, ecdsaSha256, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  const cert = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }), cert }
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
