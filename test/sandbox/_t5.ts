import { runGuest } from '#sandbox/guest.ts'
import { readFileSync, readdirSync } from 'node:fs'
const folder = process.argv[2]!
const source = readFileSync(folder + '/tool.js', 'utf8')
const modules = new Map(readdirSync(folder).filter((n) => n.endsWith('.wasm')).map((n) => [n, new WebAssembly.Module(new Uint8Array(readFileSync(folder + '/' + n)))]))
const { instantiate } = await import('data:text/javascript;base64,' + Buffer.from(source).toString('base64'))
const component = { version: '0.3' as const, tool: 'near:agent/tool@0.3.0', source, modules, instantiate }
const ask = async (h: any) => ({ ok: true as const, status: 200, headers: '{}', body: new Uint8Array(Buffer.from(h.url.includes('search') ? '{"results":[{"name":"Zürich","country":"CH","latitude":47.1,"longitude":8.5}]}' : '{"current":{"temperature_2m":3.5,"weather_code":3}}')) })
const one = () => runGuest(component, { kind: 'execute', params: process.argv[3] ?? '{"action":"get_current","city":"Zürich"}', secretNames: [], secretsSet: [] }, ask)
console.log(JSON.stringify((await one()).result).slice(0, 100))
for (let r = 0; r < 4; r++) { const ts: number[] = []; const c = process.cpuUsage()
for (let i = 0; i < 500; i++) { const s = performance.now(); await one(); await new Promise((r) => setImmediate(r)); ts.push(performance.now() - s) }
const d = process.cpuUsage(c); ts.sort((a, b) => a - b); console.log('p50', ts[250]!.toFixed(2), 'p99', ts[495]!.toFixed(2), 'cpu/call ms', (d.user + d.system) / 500000, (process.memoryUsage().rss / 1e6).toFixed(0)) }
