// Where the browser's WebSocket is. Its code is loaded with the first connection.
import { type Route, route } from '#http/routes.ts'
import type { Sockets } from '#http/socket.ts'
import { loadOnce } from '#lib/load-once.ts'
import type { LiveParts } from './chat-socket.ts'

const livePaths = ['/api/chat/ws', '/ws'] as const

/** Accepts WebSocket connections at both paths. */
export function mountLive(sockets: Pick<Sockets, 'mount'>, parts: LiveParts): void {
  sockets.mount(
    livePaths,
    loadOnce(async () => (await import('./chat-socket.ts')).createLive(parts)),
  )
}

/** Answers 426 to plain GET requests at the WebSocket's paths. */
export function liveRoutes(): Route[] {
  return livePaths.map((path) =>
    route({
      method: 'GET',
      path,
      who: 'user',
      summary: 'Open the WebSocket of the chat; docs/web-gateway.md describes its frames',
      handle(_call, reply) {
        const message = `${path} is a WebSocket: open it with Upgrade: websocket`
        return reply
          .code(426)
          .header('upgrade', 'websocket')
          .send({ error: { code: 'upgrade_required', message } })
      },
    }),
  )
}
