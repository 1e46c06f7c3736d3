import { prepareComponent } from '#sandbox/install.ts'
import { readFileSync, readdirSync } from 'node:fs'
import { runGuest } from '#sandbox/guest.ts'
const { folder } = await prepareComponent(readFileSync('tools/weather/dist/weather.wasm'), { cacheFolder: '/tmp/x/cache9' })
const source = readFileSync(folder + '/tool.js', 'utf8')
const names = readdirSync(folder).filter((n) => n.endsWith('.wasm'))
const modules = new Map(names.map((n) => [n, new WebAssembly.Module(new Uint8Array(readFileSync(folder + '/' + n)))]))
const byModule = new Map([...modules].map(([n, m]) => [m, n]))
const { instantiate } = await import('data:text/javascript;base64,' + Buffer.from(source).toString('base64'))
const spent: Record<string, number> = {}
const component = { version: '0.3' as const, tool: 'near:agent/tool@0.3.0', source, modules, instantiate: (a: any, b: any) => instantiate(a, b, (m: any, i: any) => { const s = performance.now(); const r = new WebAssembly.Instance(m, i); const n = byModule.get(m)!; spent[n] = (spent[n] ?? 0) + performance.now() - s; return r }) }
const ask = async (h: any) => ({ ok: true as const, status: 200, headers: '{}', body: new Uint8Array(Buffer.from(h.url.includes('search') ? '{"results":[{"name":"Zürich","country":"CH","latitude":47.1,"longitude":8.5}]}' : '{"current":{"temperature_2m":3.5,"weather_code":3}}')) })
let N = 300
for (let r = 0; r < 3; r++) { for (const k of Object.keys(spent)) spent[k] = 0
const ts: number[] = []; const c = process.cpuUsage()
for (let i = 0; i < N; i++) { const s = performance.now(); await runGuest(component as never, { kind: 'execute', params: '{"action":"get_current","city":"Zürich"}', secretNames: [], secretsSet: [] }, ask); ts.push(performance.now() - s); await new Promise((r) => setImmediate(r)) }
const d = process.cpuUsage(c); ts.sort((a, b) => a - b)
console.log('min', ts[0]!.toFixed(2), 'p50', ts[N / 2]!.toFixed(2), 'user', d.user / N / 1000, 'sys', d.system / N / 1000, Object.entries(spent).map(([k, v]) => `${k}:${(v / N).toFixed(3)}`).join(' ')) }
