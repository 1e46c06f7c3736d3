import { enableCompileCache, flushCompileCache } from 'node:module'
enableCompileCache('/tmp/exp/cache2')
const s = performance.now(); const r0 = process.memoryUsage.rss()
const m = process.argv[2] ?? 'node:path'
await import(m)
console.log(JSON.stringify({ ms: performance.now() - s, total: performance.now(), mb: (process.memoryUsage.rss() - r0) / 1e6, rss: process.memoryUsage.rss() / 1e6 }))
flushCompileCache()
