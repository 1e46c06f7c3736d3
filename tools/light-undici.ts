// A build step that makes undici cheaper to load: its client for HTTP/2 is loaded on first use, and with it `node:http2`.
import type { Plugin } from 'rolldown'

const head = "const connectH2 = require('./client-h2.js')\n"

export function lighten(code: string): string {
  if (!code.includes(head)) throw new Error('client.js of undici no longer imports its HTTP/2 client in its head')
  return code.replace(head, '').replaceAll('connectH2(', "require('./client-h2.js')(")
}

export const lightUndici: Plugin = {
  name: 'light-undici',
  transform: { filter: { id: /node_modules[\\/]undici[\\/]lib[\\/]dispatcher[\\/]client\.js$/ }, handler: lighten },
}
