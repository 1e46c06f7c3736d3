// Planted faults in the offline model.
import type { Mutant } from './mutant.ts'

const phrasings = ['test/models/offline-phrasings.test.ts']
const replies = ['test/models/offline-replies.test.ts']
const conversation = ['test/models/offline.test.ts']

export const mutants: readonly Mutant[] = [
  {
    says: 'a tool that writes is guessed',
    file: 'src/models/offline-rules.ts',
    from: 'if (isWriting(tool)) return say(',
    to: 'if (!tool) return say(',
    tests: replies,
  },
  {
    says: 'a wish to change something is met by a tool that reads',
    file: 'src/models/offline-rules.ts',
    from: 'if (best && !isWriting(best.tool) && changeWords.test(message)) return undefined',
    to: '',
    tests: replies,
  },
  {
    says: 'a verb of writing within a description goes unseen',
    file: 'src/models/offline-rules.ts',
    from: '[...words, ...leading, ...further].some(',
    to: '[...words, ...leading].some(',
    tests: replies,
  },
  {
    says: 'a date or a phone number is taken for a sum',
    file: 'src/models/offline-read.ts',
    from: 'dateOrPhone.test(sum) || ',
    to: '',
    tests: replies,
  },
  {
    says: 'figures within a story are calculated',
    file: 'src/models/offline-read.ts',
    from: 'if (isAsked && !isName',
    to: 'if (!isName',
    tests: replies,
  },
  {
    says: 'every word "time" asks for the time',
    file: 'src/models/offline-read.ts',
    from: 'return words.every((word) => timeWords',
    to: 'return words.some((word) => timeWords',
    tests: replies,
  },
  {
    says: 'every refusal is the same',
    file: 'src/models/offline-say.ts',
    from: 'refusals[sum % refusals.length]',
    to: 'refusals[0]',
    tests: replies,
  },
  {
    says: 'free text is cut in two at "and"',
    file: 'src/models/offline.ts',
    from: 'if (at > 0 && isFreeText',
    to: 'if (at > 9 && isFreeText',
    tests: phrasings,
  },
  {
    says: 'a caller’s tool does not come before the service’s own',
    file: 'src/models/offline-rules.ts',
    from: '.includes(name)).toReversed()',
    to: '.includes(name))',
    tests: phrasings,
  },
  {
    says: 'a number out of its range is taken',
    file: 'src/models/offline-fill.ts',
    from: 'return value >= least && value <= most &&',
    to: 'return',
    tests: replies,
  },
  {
    says: 'the answer to its question is not joined with what it asked about',
    file: 'src/models/offline.ts',
    from: "[story.map(heard).join(' ')]",
    to: '[]',
    tests: conversation,
  },
  {
    says: 'a call is made again after its result',
    file: 'src/models/offline.ts',
    from: 'if (results.length === 0 && calls.length > 0) return calls',
    to: 'if (calls.length > 0) return calls',
    tests: conversation,
  },
  {
    says: 'a schema that refers to itself is followed without end',
    file: 'src/models/offline-fill.ts',
    from: 'if (source.left-- <= 0) return null',
    to: '',
    tests: conversation,
  },
  {
    says: 'a format of texts is filled with any words',
    file: 'src/models/offline-fill.ts',
    from: 'if (format !== undefined) return take(source, format.like)',
    to: '',
    tests: conversation,
  },
]
