// A development server for the browser app (`npm run dev`): changes show at once, and what the page asks for goes to a
// gateway that runs. Its address is the first argument.
import { join } from 'node:path'
import { createServer } from 'vite'

const gateway = process.argv[2] ?? 'http://127.0.0.1:3000'
// The gateway takes a cookie from pages of its own only: what comes from here says that it is one.
const proxy = { target: gateway, ws: true, changeOrigin: true, headers: { origin: new URL(gateway).origin } }
const server = await createServer({
  root: join(import.meta.dirname, '..', 'web'),
  configFile: false,
  // The page's own modules below web/api are none of the gateway's.
  server: { host: '127.0.0.1', proxy: { '^/api/(?![\\w-]+\\.ts)': proxy } },
})
await server.listen()
server.printUrls()
console.log(`  The gateway is ${gateway}; sign in with its token.`)
