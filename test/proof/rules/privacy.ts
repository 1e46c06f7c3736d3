// Nobody gets anything of another person: not in an answer, not in a prompt, not in a thread.
import { marksIn, markOf, type Rule } from '../history.ts'
import { eventsOf } from './log.ts'

export const privacy: Rule = {
  name: 'privacy',
  promise: 'No answer, stream, prompt or thread has an entry of another user.',
  check(history) {
    const answers = eventsOf(history, 'shown').flatMap(({ user, marks, where }) => {
      const foreign = marks.filter((mark) => mark !== markOf(user))
      return foreign.length > 0 ? [`${user} was shown ${foreign.join(', ')} at ${where}`] : []
    })
    const prompts = eventsOf(history, 'prompted').flatMap(({ op, marks }) =>
      marks.length > 1 ? [`the prompt of op ${op} has ${marks.join(', ')}`] : [],
    )
    const threads = history.stored.threads.flatMap(({ id, entries }) => {
      const marks = marksIn(JSON.stringify(entries.map(({ item }) => item)))
      return marks.length > 1 ? [`thread ${id} has ${marks.join(', ')}`] : []
    })
    return [...answers, ...prompts, ...threads]
  },
}
