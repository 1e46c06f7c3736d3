// A build step that makes Fastify cheaper to load: the parts that this service never uses are loaded on first use.
import type { Plugin } from 'rolldown'

/** Packages that a file of Fastify needs only for servers with TLS, for HTTP/2, or for plugins with a range of versions. */
const rare: Readonly<Record<string, readonly string[]>> = {
  'server.js': ['node:https', 'node:http2'],
  'plugin-utils.js': ['semver'],
}

/** Moves the imports of `rare` to where they are used. */
export function lighten(code: string, file: string): string {
  return (rare[file] ?? []).reduce((text, name) => {
    const constant = name.replace('node:', '')
    const head = `const ${constant} = require('${name}')\n`
    if (!text.includes(head)) throw new Error(`${file} of Fastify no longer imports ${name} in its head`)
    return text
      .replace(head, '')
      .replaceAll(new RegExp(`(?<![\\w.'"-])${constant}\\.(?=\\w)`, 'g'), `require('${name}').`)
  }, code)
}

export const lightFastify: Plugin = {
  name: 'light-fastify',
  transform: {
    filter: { id: /node_modules[\\/]fastify[\\/]lib[\\/](server|plugin-utils)\.js$/ },
    handler: (code, id) => lighten(code, id.replace(/^.*[\\/]/, '')),
  },
}
