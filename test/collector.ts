// A collector of traces for tests: takes OTLP over HTTP in JSON and is strict about its shape.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import * as z from 'zod/mini'
import { createServer } from '#lib/http.ts'

const value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.string().check(z.regex(/^-?\d+$/)) }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({ arrayValue: z.strictObject({ values: z.array(z.strictObject({ stringValue: z.string() })) }) }),
])
const attributes = z.array(z.strictObject({ key: z.string().check(z.minLength(1)), value }))
const nanos = z.string().check(z.regex(/^[1-9]\d{18}$/))

const Span = z.strictObject({
  traceId: z.string().check(z.regex(/^(?!0{32})[0-9a-f]{32}$/)),
  spanId: z.string().check(z.regex(/^(?!0{16})[0-9a-f]{16}$/)),
  parentSpanId: z.optional(z.string().check(z.regex(/^[0-9a-f]{16}$/))),
  name: z.string().check(z.minLength(1)),
  kind: z.int().check(z.gte(1), z.lte(5)),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  attributes,
  status: z.strictObject({ code: z.optional(z.int().check(z.gte(0), z.lte(2))), message: z.optional(z.string()) }),
})

/** `ExportTraceServiceRequest` of OTLP, as far as traces of ours have it. */
const Export = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.optional(z.string()) }),
          spans: z.array(Span),
        }),
      ),
    }),
  ),
})

type Attributes = z.output<typeof attributes>
export type TakenSpan = Omit<z.output<typeof Span>, 'attributes'> & { readonly attributes: Record<string, unknown> }

export type Collector = {
  readonly url: string
  readonly spans: TakenSpan[]
  readonly resources: Record<string, unknown>[]
  readonly headers: Record<string, unknown>[]
  /** What was wrong with what came. */
  readonly faults: unknown[]
  close(): Promise<void>
}

/** `statusOf` tells what each request in turn is answered; 200 where nothing is given. */
export async function openCollector(statusOf: (request: number) => number = () => 200): Promise<Collector> {
  const spans: TakenSpan[] = []
  const resources: Record<string, unknown>[] = []
  const headers: Record<string, unknown>[] = []
  const faults: unknown[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const status = statusOf(headers.push(request.headers))
      try {
        assert.deepEqual([request.method, request.url], ['POST', '/v1/traces'])
        assert.equal(request.headers['content-type'], 'application/json')
        const body = z.parse(Export, JSON.parse(Buffer.concat(chunks).toString()))
        if (status === 200) {
          for (const { resource, scopeSpans } of body.resourceSpans) {
            resources.push(plain(resource.attributes))
            for (const each of scopeSpans.flatMap((scope) => scope.spans)) {
              spans.push({ ...each, attributes: plain(each.attributes) })
            }
          }
        }
      } catch (error) {
        faults.push(error)
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    resources,
    headers,
    faults,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function plain(pairs: Attributes): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map(({ key, value }) => {
      const [found] = Object.values(value) as unknown[]
      if ('intValue' in value) return [key, Number(found)]
      if (!('arrayValue' in value)) return [key, found]
      return [key, value.arrayValue.values.map(({ stringValue }) => stringValue)]
    }),
  )
}
