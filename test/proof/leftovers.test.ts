// What a run of the proof over SQLite leaves behind when it cannot be finished.
import { leftoverTests } from './leftovers.ts'

leftoverTests('SQLite', { args: [], signal: 'SIGINT' })
