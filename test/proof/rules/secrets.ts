// A secret goes to the tool that it was set for, and nowhere else.
import type { Rule } from '../history.ts'
import { eventsOf } from './log.ts'

export const secrets: Rule = {
  name: 'secrets',
  promise: 'No answer, prompt, thread or log has the value of a secret, even if a tool tells it.',
  check: (history) => eventsOf(history, 'leaked').map(({ where }) => `a secret stands in ${where}`),
}
