// Requests through a proxy: which of them go there, what it is told, and what it may refuse.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DialParts } from '#net/dial.ts'
import { proxyFor } from '#net/proxy.ts'
import { startConnectProxy } from './connect-proxy.ts'
import { dial, faultOf, portOf, to, useDialServers } from './dial-servers.ts'

const { cert, proxy, secure, seen, tunnels } = useDialServers()
const through = (): Partial<DialParts> => ({ proxy: { httpsProxy: `http://u:p%40@127.0.0.1:${portOf(proxy)}` } })

test('a proxy gets CONNECT and nothing else; TLS is with the target itself', async () => {
  const answer = await dial(to('https://a.example/x?q=1'), { ...through(), ca: [cert] })
  assert(answer.type === 'answer', JSON.stringify(answer))
  assert.equal(answer.body.toString(), 'got GET /x?q=1')
  assert.deepEqual(tunnels.at(-1), { place: 'a.example:443', auth: `Basic ${Buffer.from('u:p@').toString('base64')}` })
  assert.equal(seen.at(-1)?.headers['proxy-authorization'], undefined)
  assert.equal(seen.at(-1)?.headers.host, 'a.example')
  await dial(to('https://a.example:8443/'), { proxy: { httpsProxy: `http://127.0.0.1:${portOf(proxy)}` }, ca: [cert] })
  assert.deepEqual(tunnels.at(-1), { place: 'a.example:8443', auth: undefined })
  assert.equal(seen.at(-1)?.headers.host, 'a.example:8443')
  // A literal address goes the same way; the certificate is of a name.
  await dial(to('https://93.184.216.34/'), { ...through(), ca: [cert] })
  assert.equal(tunnels.at(-1)?.place, '93.184.216.34:443')
})

test('a name is left to the proxy: this machine may have no name service', async () => {
  const lookup = (): Promise<never> => Promise.reject(new Error('looked up'))
  const answer = await dial(to('https://a.example/'), { ...through(), ca: [cert], lookup })
  assert.equal(answer.type, 'answer')
})

test('a certificate of nobody, or of another name, is refused through the proxy too', async () => {
  assert.match(faultOf(await dial(to('https://a.example/'), through())), /^unreachable: .*SELF_SIGNED|DEPTH_ZERO/)
  assert.match(faultOf(await dial(to('https://b.example/'), { ...through(), ca: [cert] })), /ERR_TLS_CERT_ALTNAME/)
})

test('a proxy that refuses is told', async () => {
  assert.match(
    faultOf(await dial(to('https://refused.example/'), through())),
    /the proxy of HTTPS_PROXY refuses this host \(403\)/,
  )
  const away = { proxy: { httpsProxy: 'http://127.0.0.1:1' } }
  assert.match(faultOf(await dial(to('https://a.example/'), away)), /^unreachable: .*ECONNREFUSED/)
  // Its certificate is nobody's.
  const secured = { proxy: { httpsProxy: `https://127.0.0.1:${portOf(secure)}` } }
  assert.match(faultOf(await dial(to('https://a.example/'), secured)), /SELF_SIGNED|DEPTH_ZERO/)
})

test('a proxy that does not answer is told apart from a server that does not', async (t) => {
  const silent = await startConnectProxy(t, 9)
  silent.mode = 'hangs'
  const said = faultOf(await dial(to('https://a.example/'), { proxy: silent.settings }, 50))
  assert.equal(said, 'timeout: a.example could not be reached: the proxy of HTTPS_PROXY did not answer in time')
  const slow = faultOf(await dial(to('https://a.example/slow'), { ...through(), ca: [cert] }, 500))
  assert.equal(slow, 'timeout: a.example did not answer in time')
})

const choices: readonly [url: string, noProxy: string, proxied: boolean][] = [
  ['https://a.example/', '', true],
  ['https://a.example/', 'a.example', false],
  ['https://x.a.example/', 'a.example', false],
  ['https://x.a.example/', '.a.example', false],
  ['https://xa.example/', 'a.example', true],
  ['https://a.example/', 'b.example, *', false],
  ['https://a.example/', 'a.example:8443', true],
  ['https://a.example:8443/', 'a.example:8443', false],
  ['https://10.0.0.5/', '10.0.0.5', false],
  ['https://10.1.2.3/', '192.168.0.0/16,10.0.0.0/8', false],
  ['https://11.0.0.5/', '10.0.0.0/8', true],
  ['https://10.0.0.5/', '10.0.0.0/33', true],
  ['https://10.0.0.5/', '10.0.0.0/', true],
  ['https://10.example/', '0.0.0.0/0', true],
  ['https://[fd00::5]/', 'fd00::/8', false],
  ['https://[fd00::5]/', 'fd00::5', false],
  ['https://[fd00::5]/', 'fd00::6 10.0.0.0/8', true],
  ['https://10.0.0.5/', '2000::/3', true],
  ['https://127.0.0.1/', '', false],
  ['http://a.example/', '', false],
  ['https://a.example/', 'a:b:c', true],
  ['https://[2606:4700::1111]/', '[2606:4700::1111]:443', false],
  ['http://localhost/', '', false],
]
for (const [url, noProxy, proxied] of choices) {
  test(`${url} with NO_PROXY=${noProxy} goes ${proxied ? 'through the proxy' : 'directly'}`, () => {
    assert.equal(
      proxyFor(to(url).target, { httpsProxy: 'http://proxy.example:3128', noProxy })?.href ?? '',
      proxied ? 'http://proxy.example:3128/' : '',
    )
  })
}
