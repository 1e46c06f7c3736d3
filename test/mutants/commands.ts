// Faults of the commands, the home and the local door.
import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    says: 'root uses what belongs to somebody else',
    file: 'src/home.ts',
    from: 'if (self === undefined || owner === self) return',
    to: 'if (self === undefined || owner === self || self === 0) return',
    tests: ['test/home.test.ts'],
  },
  {
    says: 'a socket in a folder open to others is trusted',
    file: 'src/home/socket.ts',
    from: '(found.mode & 0o077) === 0',
    to: '(found.mode & 0o007) === 0',
    tests: ['test/home.test.ts'],
  },
  {
    says: 'the socket of somebody else is trusted',
    file: 'src/home/socket.ts',
    from: '  checkOwner(socket)\n',
    to: '',
    tests: ['test/home.test.ts'],
  },
  {
    says: 'a socket that a crash left stops the next start',
    file: 'src/home/socket.ts',
    from: '  rmSync(socket, { force: true })\n',
    to: '',
    tests: ['test/home.test.ts', 'test/commands/serve.test.ts'],
  },
  {
    says: 'the local door reads bodies without end',
    file: 'src/doors/local/door.ts',
    from: 'if (bytes > maxBody)',
    to: 'if (bytes > maxBody * 100)',
    tests: ['test/doors/local/door.test.ts'],
  },
  {
    says: 'the socket is open to everybody',
    file: 'src/doors/local/door.ts',
    from: 'chmodSync(parts.socket, 0o600)',
    to: 'chmodSync(parts.socket, 0o666)',
    tests: ['test/doors/local/door.test.ts'],
  },
]
