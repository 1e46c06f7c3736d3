// What a run of the proof over PostgreSQL, with a server and replicas of its own, leaves behind when it cannot be finished.
import { leftoverTests } from './leftovers.ts'

leftoverTests('PostgreSQL', { args: ['--database', 'postgres', '--replicas', '1'], signal: 'SIGTERM' })
