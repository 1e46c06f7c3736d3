// Every answer is one that the documentation promises.
import type { Rule } from '../history.ts'
import { eventsOf } from './log.ts'

export const documented: Rule = {
  name: 'documented',
  promise: 'No request gets an internal error, a wrong refusal or no answer for minutes.',
  check: (history) =>
    eventsOf(history, 'strange').map(({ where, status, text }) => `${where} answered ${status}: ${text}`),
}
