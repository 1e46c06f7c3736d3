// Serves the browser app: index.html at each of its addresses, and its assets. They contain no secrets and need no
// token; the data comes from the API, which does.
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'
import type { Route } from '#http/routes.ts'
import { inCheckout } from '#lib/checkout.ts'

const addresses = [
  '/',
  '/login',
  '/threads/:id',
  '/waiting',
  '/jobs',
  '/missions',
  '/missions/:id',
  '/memory',
  '/memory/*',
  '/tools',
  '/activity',
].concat(['/settings', '/settings/*'])
/** Files with a fixed name (no hash in it): their content can change, so browsers must revalidate them. */
const fixedNames = ['/icon.svg', '/icon-waiting.svg', '/icon-192.png', '/icon-512.png', '/manifest.webmanifest']
  // It must be at the root: it opens every address of the app.
  .concat(['/service-worker.js'])

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
}

/** Only own scripts and styles, no other host, no framing. Pictures of messages are data: URLs. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const notBuilt =
  'The browser app is not built. In the checkout of Atrium run npm ci (with the development packages), or npm run build.\n'

export type PageParts = {
  /** The folder of the built browser app. */
  readonly folder?: string
  /** The OpenID issuer that the sign-in page offers. */
  readonly issuer?: string
}

/** The routes of the browser app. */
export function pageRoutes({ folder = inCheckout('web', 'dist'), issuer }: PageParts = {}): Route[] {
  const row = (path: string, summary: string, handle: Route['handle']): Route => {
    return { method: 'GET', path, who: 'anyone', page: true, summary, handle }
  }
  const revalidate = 'no-cache'
  const immutable = 'public, max-age=31536000, immutable'
  return [
    ...addresses.map((path) =>
      row(path, 'The browser app', (request, reply) =>
        send(request, reply, { folder, name: 'index.html', cacheControl: revalidate }),
      ),
    ),
    ...fixedNames.map((path) =>
      row(path, 'A file of the browser app', (request, reply) =>
        send(request, reply, { folder, name: path.slice(1), cacheControl: revalidate }),
      ),
    ),
    row('/sign-in.json', 'The ways to sign in', (_request, reply) => {
      return reply.header('cache-control', 'no-store').send({ issuer: issuer === undefined ? null : hostOf(issuer) })
    }),
    row('/assets/*', 'A file of the browser app', (request, reply) => {
      const name = (request.params as { '*': string })['*']
      // Only plain names: the build puts all assets in one folder.
      if (!/^[\w-]+(\.[\w-]+)+$/.test(name)) throw missingFile()
      return send(request, reply, { folder, name: join('assets', name), cacheControl: immutable })
    }),
  ]
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address
}

type File = { readonly folder: string; readonly name: string; readonly cacheControl: string }

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { folder, name, cacheControl }: File,
): Promise<unknown> {
  const type = types[extname(name)]
  if (type === undefined) throw missingFile()
  reply.headers({
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    vary: 'accept-encoding',
  })
  const found = await readCompressed(join(folder, name), request.headers['accept-encoding'] ?? '')
  if (!found && name === 'index.html') return reply.code(503).type('text/plain; charset=utf-8').send(notBuilt)
  if (!found) throw missingFile()
  if (found.encoding) reply.header('content-encoding', found.encoding)
  return reply.type(type).header('cache-control', cacheControl).send(found.bytes)
}

/** Reads a file, precompressed (.br or .gz beside it) when the browser accepts that. */
async function readCompressed(
  path: string,
  accepted: string,
): Promise<{ bytes: Buffer; encoding?: string } | undefined> {
  for (const [encoding, ending] of [
    ['br', '.br'],
    ['gzip', '.gz'],
  ] as const) {
    const bytes = takes(accepted, encoding) ? await readIfThere(path + ending) : undefined
    if (bytes) return { bytes, encoding }
  }
  const bytes = await readIfThere(path)
  return bytes && { bytes }
}

function takes(accepted: string, encoding: string): boolean {
  return accepted.split(',').some((each) => {
    const [name = '', ...rest] = each.split(';').map((part) => part.trim().toLowerCase())
    return name === encoding && !rest.some((part) => /^q=0(\.0*)?$/.test(part))
  })
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function missingFile(): AppError {
  return new AppError('not_found', 'there is no such file here')
}
