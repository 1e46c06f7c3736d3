// Planted faults in the clients of models.
import type { Mutant } from './mutant.ts'

const chat = ['test/models/chat.test.ts']

export const mutants: readonly Mutant[] = [
  {
    says: 'the body of an error is read without end',
    file: 'src/models/chat.ts',
    from: 'if (!good && size > maxErrorBytes) break',
    to: '',
    tests: chat,
  },
  {
    says: 'a call that timed out is tried again',
    file: 'src/models/fault.ts',
    from: "new AppError('model_timeout', message), again: false",
    to: "new AppError('model_timeout', message), again: true",
    tests: chat,
  },
  {
    says: 'a key is masked in its plain spelling only',
    file: 'src/models/fault.ts',
    from: 'createMask(secrets.flatMap(spellingsOf))',
    to: 'createMask(secrets)',
    tests: chat,
  },
  {
    says: 'an answer that ran into its limit passes for a whole one',
    file: 'src/models/chat-answer.ts',
    from: "this.#short ||= reason === 'length'",
    to: '',
    tests: chat,
  },
  {
    says: 'an answer may have any number of calls',
    file: 'src/models/chat-calls.ts',
    from: 'if (this.calls.length === maxCalls) return `${maxCalls} tool calls`',
    to: '',
    tests: chat,
  },
  {
    says: 'an answer may have any number of fragments',
    file: 'src/models/chat-calls.ts',
    from: 'if (++this.#count > maxFragments) return `${maxFragments} fragments of tool calls`',
    to: '',
    tests: chat,
  },
  {
    says: 'a call that is whole is continued by the next of its name',
    file: 'src/models/chat-calls.ts',
    from: "again && (args === '' || !current.depth.closed)",
    to: 'again',
    tests: chat,
  },
  {
    says: "a file's text closes its block",
    file: 'src/models/chat-body.ts',
    from: "withoutMark(part.text, 'file')",
    to: 'part.text',
    tests: chat,
  },
  {
    says: 'arguments are sent back with other digits',
    file: 'src/models/chat-body.ts',
    from: 'objectIn(args) ? args : JSON.stringify({ text: args })',
    to: 'JSON.stringify(objectIn(args) ?? { text: args })',
    tests: chat,
  },
  {
    says: 'text after a call stands between it and its result',
    file: 'src/models/chat-body.ts',
    from: "item.role === 'assistant' && calls.length > 0",
    to: "item.role === 'assistant' && calls.length > 1_000",
    tests: chat,
  },
  {
    says: 'a schema is walked to its end, whatever it is',
    file: 'src/models/schema.ts',
    from: 'walk.steps -= known.length',
    to: '',
    tests: ['test/models/schema.test.ts'],
  },
]
