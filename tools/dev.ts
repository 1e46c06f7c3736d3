// A development server for the browser app (`npm run dev`): changes show at once, and API requests go to a running
// gateway, whose address is the first argument.
import { join } from 'node:path'
import { readFlags, refuseFlags } from './flags.ts'

const usage = `npm run dev -- [URL]
  URL is the address of the gateway, without it http://127.0.0.1:3000`
const { positionals } = readFlags(usage, { allowPositionals: true, options: { help: { type: 'boolean' } } })
const [gateway = 'http://127.0.0.1:3000'] = positionals
if (!/^https?:/.test(gateway) || !URL.canParse(gateway)) refuseFlags(usage, `${gateway} is no URL of a gateway`)
// The gateway accepts its cookie only from its own origin, so proxied requests carry that origin.
const proxy = { target: gateway, ws: true, changeOrigin: true, headers: { origin: new URL(gateway).origin } }
const checkout = join(import.meta.dirname, '..')
// Only now: to load it takes longer than to refuse a flag.
const { createServer } = await import('vite')
const server = await createServer({
  root: join(checkout, 'web'),
  configFile: false,
  // Modules in web/api are served from here, not by the gateway.
  server: { host: '127.0.0.1', fs: { allow: [checkout] }, proxy: { '^/api/(?![\\w-]+\\.ts)': proxy } },
})
await server.listen()
server.printUrls()
console.log(`  The gateway is ${gateway}; sign in with its token.`)
