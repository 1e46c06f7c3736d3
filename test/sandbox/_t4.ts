import { createSandbox } from '#sandbox/sandbox.ts'
import { silentLog } from '#lib/log.ts'
import { createMemoryLimits } from '#store/limits.ts'
import { readFileSync } from 'node:fs'
let t = performance.now()
const lap = (n: string) => { const x = performance.now(); console.log(n, (x - t).toFixed(1)); t = performance.now() }
const dial = async (r: { target: { path: string } }) => ({ type: 'answer' as const, status: 200, headers: new Map(), body: Buffer.from(r.target.path.includes('search') ? '{"results":[{"name":"Zürich","country":"CH","latitude":47.1,"longitude":8.5}]}' : '{"current":{"temperature_2m":3.5,"weather_code":3}}') })
const sb = createSandbox({ cacheFolder: '/tmp/x/cache4', maxProcesses: 4, secret: async () => undefined, limits: { take: async () => ({ allowed: true, retryAfterMs: 0 }) }, log: silentLog, now: Date.now, dial: dial as never })
const tool = await sb.load({ name: 'weather', component: readFileSync(process.argv[2] ?? 'tools/weather/dist/weather.wasm'), capabilities: readFileSync('tools/weather/capabilities.json', 'utf8') })
lap('load'); console.log(tool.warnings, tool.description, JSON.stringify(tool.schema).length)
const go = () => sb.testCall(tool, { params: '{"action":"get_current","city":"Zürich"}' })
console.log(JSON.stringify(await go())); lap('first')
console.log(JSON.stringify(await sb.testCall(tool, { params: '{"action":"get_current","city":""}' })))
const times: number[] = []
for (let i = 0; i < 1000; i++) { const s = performance.now(); await go(); times.push(performance.now() - s) }
times.sort((a, b) => a - b); console.log('p50', times[500], 'p90', times[900], 'p99', times[990]); lap('1000')
console.log(readFileSync(`/proc/${sb.live()[0]!.pid}/stat`, 'utf8').split(' ').slice(13, 15), readFileSync(`/proc/${sb.live()[0]!.pid}/status`, 'utf8').match(/VmRSS.*/g))
await sb.close()
