// The HTTP of one call over a wire that the test answers.
import { createLeakScan } from '#safety/leaks.ts'
import { readCapabilities } from '#sandbox/package/capabilities.ts'
import type { Dialled, Outgoing } from '#net/dial.ts'
import { createEgress, type Egress, type GuestAnswer, type GuestRequest } from '#sandbox/egress/egress.ts'
import { noLimits } from '../rig.ts'

const scan = createLeakScan(['installed-Value-77'])
export const secret = 'S3cret/va lue+9'
const allowlist = [
  { host: 'api.example.com', path_prefix: '/', methods: ['GET', 'POST'] },
  { host: 'cdn.example.com', path_prefix: '/public/', methods: ['GET'] },
]

export type Wire = (
  request: Outgoing,
  count: number,
) => { status?: number; headers?: Record<string, string>; body?: string }

export function setUp({
  location,
  wire = () => ({}),
  secrets = { token: secret },
  http = {},
  limits = noLimits,
  patterns = ['api.example.com'],
  secretFault,
  fault,
}: {
  location?: object
  wire?: Wire
  secrets?: Record<string, string>
  http?: object
  limits?: typeof noLimits
  patterns?: string[]
  /** Why no secret can be read. */
  secretFault?: Error
  /** What the wire says in place of an answer, once its signal fires or at once. */
  fault?: (signal: AbortSignal) => Promise<Dialled>
}): { egress: Egress; sent: Outgoing[]; get: (more?: Partial<GuestRequest>) => Promise<GuestAnswer> } {
  const credentials = location && { main: { secret_name: 'token', location, host_patterns: patterns } }
  const { capabilities } = readCapabilities(
    JSON.stringify({
      version: '1',
      wit_version: '0.3.0',
      http: { allowlist, ...(credentials && { credentials }), ...http },
    }),
  )
  const sent: Outgoing[] = []
  const egress = createEgress({
    tool: 'probe',
    capabilities,
    secret: (name) => (secretFault ? Promise.reject(secretFault) : Promise.resolve(secrets[name])),
    scan: () => scan,
    limits,
    now: () => 1_000_000,
    dial(request, { signal }): Promise<Dialled> {
      sent.push(request)
      if (fault) return fault(signal)
      const { status = 200, headers = {}, body = '' } = wire(request, sent.length)
      return Promise.resolve({
        type: 'answer',
        status,
        headers: new Map(Object.entries(headers)),
        body: Buffer.from(body),
      })
    },
  })
  const get = (more: Partial<GuestRequest> = {}): Promise<GuestAnswer> =>
    egress.request(
      { method: 'GET', url: 'https://api.example.com/v1/x', headers: '{}', ...more },
      new AbortController().signal,
    )
  return { egress, sent, get }
}

export const header = (request: Outgoing | undefined, name: string): string | undefined => request?.headers.get(name)
