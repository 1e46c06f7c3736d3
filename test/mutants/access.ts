// Planted faults of who comes in, of what tools are given, and of whose secrets are kept from whom.
import type { Mutant } from './mutant.ts'

const live = ['test/doors/web/live.test.ts']
const close = ['test/http/close.test.ts']
const scans = ['test/hall/scans.test.ts']

export const mutants: readonly Mutant[] = [
  {
    says: 'each frame behind a refused one makes room for a stranger',
    file: 'src/http/socket.ts',
    from: '        if (judged) return\n',
    to: '',
    tests: live,
  },
  {
    says: 'a token that could not be looked up is told as a bad one',
    file: 'src/http/socket.ts',
    from: "'status' in caller && caller.status === 503",
    to: 'false',
    tests: live,
  },
  {
    says: 'a connection is taken while the service goes down',
    file: 'src/http/socket.ts',
    from: '      if (closing) return refuse(503, goingDown)\n',
    to: '',
    tests: close,
  },
  {
    says: 'a caller who cannot be looked up holds the end',
    file: 'src/http/socket.ts',
    from: '        entering.forEach((socket) => socket.destroy())\n',
    to: '',
    tests: close,
  },
  {
    says: "a user's secret stops and hides words of everybody",
    file: 'src/hall/scans.ts',
    from: 'values.get(operator) ?? [])',
    to: '[...values.values()].flat())',
    tests: scans,
  },
  {
    says: 'a renewed sign-in is not known as a secret',
    file: 'src/hall/scans.ts',
    from: "return outcome.type === 'failed' ? ended : then(ended, secret.owner)",
    to: 'return ended',
    tests: scans,
  },
  {
    says: 'whoever asks for a reading that waits has it read once more',
    file: 'src/hall/readings.ts',
    from: '    if (joined) return joined\n',
    to: '',
    tests: scans,
  },
  {
    says: 'a sandbox that could not be opened once never opens',
    file: 'src/sandbox/source.ts',
    from: '      opened = undefined\n',
    to: '',
    tests: ['test/hall/tools.test.ts'],
  },
  {
    says: 'a row of the policy takes the others along',
    file: 'src/safety/policy-settings.ts',
    from: 'Object.entries({ ...before, ...Object.fromEntries(merged) })',
    to: 'Object.entries(Object.fromEntries(merged))',
    tests: ['test/doors/web/settings.test.ts'],
  },
  {
    says: 'whoever borrowed a secret that is then lent itself has none',
    file: 'src/store/secrets.ts',
    from: "yield* run('UPDATE secrets SET same_as = ? WHERE user_id = ? AND same_as = ?', sameAs, owner, name)",
    to: '',
    tests: ['test/store/store.test.ts'],
  },
  {
    says: 'an address that nobody verified is a name',
    file: 'src/http/oidc.ts',
    from: "each?.replaceAll('@', '-')",
    to: 'each',
    tests: ['test/doors/web/oidc.test.ts'],
  },
  {
    says: "a user whose sign-in has ended goes out under the operator's",
    file: 'src/store/secrets.ts',
    from: 'if (owner === operator) yield* run(`DELETE FROM secrets WHERE ${same}`, owner, name, updatedAt)',
    to: 'if (owner) yield* run(`DELETE FROM secrets WHERE ${same}`, owner, name, updatedAt)',
    tests: ['test/sandbox/auth/access.test.ts'],
  },
  {
    says: 'a gate that is pushed out of a full list is told as closed',
    file: 'src/doors/web/feed.ts',
    from: 'waiting >= maxGates && gone.length + fresh.length > 0',
    to: 'false',
    tests: ['test/doors/web/feed.test.ts'],
  },
  {
    says: 'one capability file that cannot be read hides every tool',
    file: 'src/hall/tool-desk.ts',
    from: '          const why = error instanceof Error ? error.message : String(error)\n',
    to: '          throw error\n          const why = String(error)\n',
    tests: ['test/doors/web/settings.test.ts'],
  },
  {
    says: 'a call waits for the renewal of a token that still works',
    file: 'src/sandbox/auth/secrets.ts',
    from: '        if (isDue(secret.renewal, secret.updatedAt, now())) renewEarly(secret, token)\n',
    to: '        if (isDue(secret.renewal, secret.updatedAt, now())) return (await once(secret, token, false))?.value\n',
    tests: ['test/sandbox/auth/access.test.ts'],
  },
  {
    says: 'a token that could not be stored at once is lost',
    file: 'src/sandbox/auth/secrets.ts',
    from: 'if (attempt >= storeTries) throw error',
    to: 'throw error',
    tests: ['test/sandbox/auth/access.test.ts'],
  },
]
