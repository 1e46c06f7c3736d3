// One HTTP request of an attack, with any header: a browser's own client would not let it set Host or Origin.
import { request } from '#lib/http.ts'

const timeoutMs = 20_000
const maxChars = 4 * 1024 * 1024

export type Sent = {
  readonly status: number
  readonly text: string
  readonly headers: Readonly<Record<string, unknown>>
}

export type Sending = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Status 101 for a protocol that was switched, 0 for a connection that was cut or silent. */
export function send(url: string, { method = 'GET', headers = {}, body }: Sending = {}): Promise<Sent> {
  return new Promise((resolve) => {
    const content = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
    const type = content === undefined ? {} : { 'content-type': 'application/json' }
    const sending = request(url, { method, headers: { ...type, ...headers } }, (response) => {
      let text = ''
      const end = (): void => resolve({ status: response.statusCode ?? 0, text, headers: response.headers })
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length > maxChars) response.destroy()
      })
      response.on('close', end)
    })
    sending.on('upgrade', (response, socket) => {
      socket.destroy()
      resolve({ status: 101, text: '', headers: response.headers })
    })
    sending.setTimeout(timeoutMs, () => sending.destroy())
    sending.on('error', () => resolve({ status: 0, text: '', headers: {} }))
    sending.end(content)
  })
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}
