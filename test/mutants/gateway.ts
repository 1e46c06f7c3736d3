// Planted faults of sign-in, the live connection, forks, settings and tokens.
import type { Mutant } from './mutant.ts'

const login = ['test/doors/web/login.test.ts']
const origin = ['test/http/origin.test.ts']
const live = ['test/doors/web/live.test.ts']
const cut = ['test/doors/web/cut.test.ts']
const store = ['test/store/store.test.ts']

export const mutants: readonly Mutant[] = [
  {
    says: 'a code signs in twice',
    file: 'src/store/sessions.ts',
    from: "'DELETE FROM login_codes WHERE hash = ? RETURNING token, ends_at'",
    to: "'SELECT token, ends_at FROM login_codes WHERE hash = ?'",
    tests: login,
  },
  {
    says: 'a code is good for ever',
    file: 'src/store/sessions.ts',
    from: "row && Number(row['ends_at']) > now()",
    to: 'row',
    tests: login,
  },
  {
    says: 'a session outlives its token',
    file: 'src/store/sessions.ts',
    from: 's.token IS NULL OR EXISTS',
    to: 's.token IS NOT NULL OR EXISTS',
    tests: login,
  },
  {
    says: 'a session of the operator’s outlives its token',
    file: 'src/http/session.ts',
    from: '!operatorHashes.includes(token)',
    to: 'operatorHashes.length === 0',
    tests: login,
  },
  {
    says: 'a session that lies idle stays good',
    file: 'src/store/sessions.ts',
    from: 'now() - idleMs,',
    to: '0,',
    tests: login,
  },
  {
    says: 'the use of a session is written at every request',
    file: 'src/http/session.ts',
    from: 'if (now() - seenAt < touchMs) return seenAt',
    to: '',
    tests: login,
  },
  {
    says: 'a page elsewhere writes with a cookie',
    file: 'src/http/server.ts',
    from: 'if (caller.session && !isMeant(request))',
    to: 'if (caller.session && false)',
    tests: login,
  },
  {
    says: 'attempts to sign in are not limited',
    file: 'src/doors/web/login.ts',
    from: 'if (!allowed) throw tooOften(',
    to: 'if (!allowed && retryAfterMs < 0) throw tooOften(',
    tests: login,
  },
  {
    says: 'signing out everywhere ends one session',
    file: 'src/doors/web/login.ts',
    from: 'if (everywhere) await sessions.closeAll(user)',
    to: 'if (everywhere && !session) await sessions.closeAll(user)',
    tests: login,
  },
  {
    says: 'a name that somebody pointed here is ours',
    file: 'src/http/origin.ts',
    from: 'if (!isKnown(request, host)) return false',
    to: '',
    tests: origin,
  },
  {
    says: 'the port of an origin does not count',
    file: 'src/http/origin.ts',
    from: 'URL.parse(`${page.protocol}//${host}`)?.host === page.host',
    to: 'URL.parse(`${page.protocol}//${host}`)?.hostname === page.hostname',
    tests: origin,
  },
  {
    says: 'a WebSocket is opened by a page elsewhere',
    file: 'src/http/socket.ts',
    from: "if (shown && 'cookie' in shown && !origins.isOurs(request)) return refuse(403)",
    to: '',
    tests: live,
  },
  {
    says: 'a connection outlives its session',
    file: 'src/doors/web/feed.ts',
    from: 'if (all) for (const listener of listeners) listener.recheck()',
    to: '',
    tests: live,
  },
  {
    says: 'messages over the connection do not count for the chat rate',
    file: 'src/doors/web/live.ts',
    from: '      await chatLimit.take(caller)\n',
    to: '',
    tests: live,
  },
  {
    says: 'a connection that answers no ping stays',
    file: 'src/http/socket.ts',
    from: 'if (!heard) return ws.terminate()',
    to: '',
    tests: live,
  },
  {
    says: 'a message that is sent again is another one',
    file: 'src/doors/web/live.ts',
    from: '...(key && { idempotency: { key: `live:${key}`, bodyHash } }),',
    to: '',
    tests: cut,
  },
  {
    says: 'a subscription begins at the end of the thread',
    file: 'src/doors/web/following.ts',
    from: 'const watch = turns.watch(user, threadId, after)',
    to: 'const watch = turns.watch(user, threadId, after + 1)',
    tests: cut,
  },
  {
    says: 'a reader that does not read is waited for',
    file: 'src/http/connection.ts',
    from: "!== 'timeout') continue",
    to: "!== 'nothing') continue",
    tests: cut,
  },
  {
    says: 'a fork copies the message that it stands before',
    file: 'src/store/fork.ts',
    from: 'FROM items WHERE thread_id = ? AND seq < ?`,\n    thread.id,',
    to: 'FROM items WHERE thread_id = ? AND seq <= ?`,\n    thread.id,',
    tests: store,
  },
  {
    says: 'settings are stored before they were checked',
    file: 'src/hall/settings.ts',
    from: '        configure(after)\n',
    to: '',
    tests: ['test/doors/web/settings.test.ts'],
  },
  {
    says: 'a token that is revoked keeps its connections',
    file: 'src/doors/web/users.ts',
    from: '        turns.changed(user.id)\n',
    to: '',
    tests: ['test/doors/web/settings.test.ts'],
  },
]
