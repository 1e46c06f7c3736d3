// A push service for tests, with the browser behind it: it checks the signature of each request (RFC 8292), and decrypts
// its payload as a browser does (RFC 8291).
import assert from 'node:assert/strict'
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export type Pushed = { readonly payload: unknown; readonly headers: IncomingHttpHeaders; readonly bytes: number }

export type PushService = {
  readonly origin: string
  readonly host: string
  /** The subscription of the browser, as the page gets it. */
  readonly subscription: {
    readonly endpoint: string
    readonly keys: { readonly p256dh: string; readonly auth: string }
  }
  readonly pushed: Pushed[]
  /** Statuses of the next answers; 201 when nothing is given. */
  readonly answers: number[]
  close(): Promise<void>
}

export async function openPushService(): Promise<PushService> {
  const browser = createECDH('prime256v1')
  browser.generateKeys()
  const auth = randomBytes(16)
  const pushed: Pushed[] = []
  const answers: number[] = []
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const body = await buffer(request)
      checkSignature(request.headers.authorization ?? '', origin)
      const text = decrypt(body, browser.getPrivateKey(), browser.getPublicKey(), auth)
      pushed.push({ payload: JSON.parse(text), headers: request.headers, bytes: body.length })
      response.writeHead(answers.shift() ?? 201).end()
    } catch (error) {
      response.writeHead(400).end(String(error))
    }
  }
  const server = createServer((request, response) => void take(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  const origin = `http://${host}`
  const keys = { p256dh: browser.getPublicKey().toString('base64url'), auth: auth.toString('base64url') }
  return {
    origin,
    host,
    subscription: { endpoint: `${origin}/push/a-secret-of-the-browser`, keys },
    pushed,
    answers,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function checkSignature(authorization: string, origin: string): void {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  assert.equal(point.length, 65)
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((each) => each.toString('base64url'))
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, format: 'jwk' })
  const signed = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  assert.ok(verify('sha256', Buffer.from(`${head}.${claims}`), signed, Buffer.from(signature, 'base64url')))
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, string | number>
  assert.equal(aud, origin)
  assert.ok(Number(exp) * 1000 > Date.now() && Number(exp) * 1000 <= Date.now() + 86_400_000)
  assert.match(String(sub), /^(mailto|https):/)
}

function decrypt(body: Buffer, privateKey: Buffer, publicKey: Buffer, auth: Buffer): string {
  const salt = body.subarray(0, 16)
  const keyLength = body.readUInt8(20)
  const sender = body.subarray(21, 21 + keyLength)
  const sealed = body.subarray(21 + keyLength)
  const own = createECDH('prime256v1')
  own.setPrivateKey(privateKey)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, sender])
  const secret = Buffer.from(hkdfSync('sha256', own.computeSecret(sender), auth, info, 32))
  const derive = (name: string, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${name}\0`, length))
  const opening = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  opening.setAuthTag(sealed.subarray(-16))
  const padded = Buffer.concat([opening.update(sealed.subarray(0, -16)), opening.final()])
  return padded.subarray(0, padded.lastIndexOf(2)).toString()
}
