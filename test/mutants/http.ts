// Planted faults of the gateway's server: who comes in, what is refused, what a fault tells.
import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    says: 'a user reaches the operator’s routes',
    file: 'src/http/server.ts',
    from: "if (who === 'operator' && !caller.operator)",
    to: "if (who === 'anyone' && !caller.operator)",
    tests: ['test/http/routes.test.ts'],
  },
  {
    says: 'messages do not count for the chat rate',
    file: 'src/http/server.ts',
    from: 'if (counted) await',
    to: 'if (!counted) await',
    tests: ['test/http/limits.test.ts'],
  },
  {
    says: 'compaction does not count for the chat rate',
    file: 'src/doors/responses/routes.ts',
    from: "counted: true,\n      summary: 'Make a history small'",
    to: "summary: 'Make a history small'",
    tests: ['test/http/routes.test.ts'],
  },
  {
    says: 'a compressed body is read as JSON',
    file: 'src/http/server.ts',
    from: '  checkEncoding(raw.headers)\n',
    to: '',
    tests: ['test/http/server.test.ts'],
  },
  {
    says: 'a 503 tells the database’s address',
    file: 'src/http/reply.ts',
    from: 'if (words === undefined) return fault',
    to: 'if (words !== undefined) return fault',
    tests: ['test/http/server.test.ts'],
  },
  {
    says: 'a limit per address counts each IPv6 address alone',
    file: 'src/http/address.ts',
    from: 'if (isIP(address) !== 6) return address',
    to: 'if (isIP(address) !== 9) return address',
    tests: ['test/http/address.test.ts'],
  },
  {
    says: 'a service that is going down is ready',
    file: 'src/http/server.ts',
    from: 'draining: () => closing || parts.health.draining()',
    to: 'draining: () => false',
    tests: ['test/http/server.test.ts'],
  },
  {
    says: 'an error loses the name of its field',
    file: 'src/http/reply.ts',
    from: '...(param !== undefined && { param })',
    to: '',
    tests: ['test/doors/web/chat.test.ts'],
  },
]
