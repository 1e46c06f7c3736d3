// The weather tool as it ships, in a sandbox, with stand-ins for the three services that it asks.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before } from 'node:test'
import type { Dial, Dialled, Outgoing } from '#net/dial.ts'
import type { LoadedTool, TestReport } from '#sandbox/supervisor/sandbox.ts'
import { buildAll } from '../../tools/build.ts'
import { createRig } from './rig.ts'

export const weatherFolder = new URL('../../tools/weather', import.meta.url).pathname

type Reply = { readonly status?: number; readonly body: unknown }
type Replies = Record<'geocoding' | 'forecast' | 'air', Reply>

const serviceOf: Readonly<Record<string, keyof Replies>> = {
  'geocoding-api.open-meteo.com': 'geocoding',
  'api.open-meteo.com': 'forecast',
  'air-quality-api.open-meteo.com': 'air',
}

/** The tool while the tests of a file run. */
export function useWeather() {
  const { dial, ...services } = createServices()
  const rig = createRig({ dial })
  let tool: LoadedTool | undefined
  before(async () => {
    await buildAll()
    const file = JSON.parse(readFileSync(join(weatherFolder, 'capabilities.json'), 'utf8')) as object
    tool = await rig.load(readFileSync(join(weatherFolder, 'dist', 'weather.wasm')), file, 'weather')
  })
  after(() => rig.close())
  const loaded = (): LoadedTool => tool ?? assert.fail('the tool is not loaded')
  const call = (params: unknown): Promise<TestReport> => {
    services.seen.length = 0
    return rig.sandbox.testCall(loaded(), { params: typeof params === 'string' ? params : JSON.stringify(params) })
  }
  const output = async (params: object): Promise<unknown> => {
    const report = await call(params)
    assert.equal(report.error, null)
    return JSON.parse(report.output ?? '')
  }
  return { ...services, loaded, call, output }
}

/** They note each request and answer as the test says. */
function createServices() {
  const seen: { url: URL; headers: Outgoing['headers']; method: string }[] = []
  const replies: Replies = { geocoding: { body: {} }, forecast: { body: {} }, air: { body: {} } }
  /** Hosts that cannot be reached. */
  const away = new Set<string>()

  function answer({ method, target, headers }: Outgoing): Dialled {
    const { scheme, host, path, query } = target
    const service = serviceOf[host]
    if (service === undefined || away.has(host)) {
      const message = `${host} could not be reached: ECONNREFUSED`
      return { type: 'fault', fault: { code: 'unreachable', message, sent: false } }
    }
    seen.push({ url: new URL(`${scheme}://${host}${path}${query}`), headers, method })
    const { status = 200, body } = replies[service]
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return { type: 'answer', status, headers: new Map(), body: Buffer.from(text) }
  }

  const dial: Dial = (request) => Promise.resolve(answer(request))
  /** What the next search and the next forecast answer. */
  const reply = (geocoding: Reply, forecast: Reply = { body: {} }): void => {
    Object.assign(replies, { geocoding, forecast })
  }
  return { dial, seen, replies, reply, away }
}
